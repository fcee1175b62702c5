// Runs before anything is painted, so that neither a chosen scheme nor big mode flashes: see src/layout/scheme.ts and
// src/features/client/big.ts.
(function () {
  var mark = document.querySelector('meta[name="playdock-client"]');
  if (mark) {
    if (!sessionStorage.getItem("mode")) sessionStorage.setItem("mode", mark.content);
    if (sessionStorage.getItem("mode") === "big") document.documentElement.dataset.big = "";
  }
  var scheme = localStorage.getItem("scheme");
  if (scheme === "dark" || scheme === "light") document.documentElement.dataset.scheme = scheme;
})();
