/** Runs before the first paint, so that the other theme does not flash up. See `applyTheme` in app.ts. */
const chosenTheme = localStorage.getItem("knack:theme");
if (chosenTheme === "light" || chosenTheme === "dark") document.documentElement.dataset.theme = chosenTheme;
