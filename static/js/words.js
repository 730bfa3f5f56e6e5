// Words in the reader's language. The page carries them as JSON where that isn't English; see app/web/languages.py.

const block = document.getElementById("words");
const known = block ? JSON.parse(block.textContent) : {};
const language = document.documentElement.lang || "en";
const plurals = new Intl.PluralRules(language);

// For dates and numbers: the sources' English is British.
export const locale = language === "en" ? "en-GB" : language;

// A pattern with its {names} filled in.
export function filled(pattern, values) {
  return pattern.replace(/\{(\w+)\}/g, (whole, name) => (name in values ? String(values[name]) : whole));
}

// t("{name} is saved", { name })
export function t(text, values = {}) {
  return filled(known[text] ?? text, values);
}

// tn("{n} answer", "{n} answers", 3)
export function tn(one, many, n, values = {}) {
  const forms = known[one];
  const pattern = forms ? forms[plurals.select(n)] ?? forms.other : n === 1 ? one : many;
  return filled(pattern, { n, ...values });
}
