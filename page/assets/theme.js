// Sets the colours that somebody chose before anything is drawn; without a choice the reader's system says.
(function () {
  "use strict";
  var chosen = null;
  try { chosen = localStorage.getItem("tooltrail-theme"); } catch (e) { /* not kept then */ }
  if (chosen === "dark" || chosen === "light") document.documentElement.setAttribute("data-theme", chosen);
})();
