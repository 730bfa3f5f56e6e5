// Days and times are typed in the reader's own zone, which the labels name; what is sent, and without script typed, is UTC.

const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
const two = (number) => String(number).padStart(2, "0");

function asTyped(date) {
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}T${two(date.getHours())}:${two(date.getMinutes())}`;
}

function setUp(input) {
  const sent = document.createElement("input");
  sent.type = "hidden";
  sent.name = input.name;
  input.removeAttribute("name");
  if (input.value) input.value = asTyped(new Date(`${input.value}Z`));
  for (const label of input.labels) label.textContent = label.textContent.replace("UTC", zone);
  input.form.append(sent);
  input.form.addEventListener("submit", () => {
    sent.value = input.value && new Date(input.value).toISOString().slice(0, 16);
  });
}

for (const input of document.querySelectorAll("input[type=datetime-local]")) setUp(input);
