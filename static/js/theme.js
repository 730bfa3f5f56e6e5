// Before the first paint: the theme that the reader chose. Without a choice, the system's.
(() => {
  const saved = window.localStorage.getItem("theme");
  if (saved === "light" || saved === "dark") document.documentElement.dataset.theme = saved;
})();
