// Runs before anything is painted, so that a chosen scheme never flashes: see src/layout/scheme.ts.
(function () {
  var scheme = localStorage.getItem("scheme");
  if (scheme === "dark" || scheme === "light") document.documentElement.dataset.scheme = scheme;
})();
