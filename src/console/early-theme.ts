/** Runs before the first paint, so that a chosen theme does not flash the other one. See `applyTheme` in app.ts. */
const chosenTheme = localStorage.getItem("knack:theme");
if (chosenTheme === "light" || chosenTheme === "dark") document.documentElement.dataset.theme = chosenTheme;
