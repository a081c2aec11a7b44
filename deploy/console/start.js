// Shows why the console did not begin. It stands by itself, as a plain script: a module that is missing ends all modules.
(function () {
  var PATIENCE_MS = 20000; // a request that nobody answers fails much later, or never
  var hasFailed = false;

  function isEmpty() {
    return document.getElementById("console").childElementCount === 0;
  }

  function show() {
    if (!isEmpty()) return;
    fetch(location.pathname, { method: "HEAD", cache: "no-store" }).catch(function () {
      document.getElementById("failed-why").hidden = true;
      document.getElementById("failed-offline").hidden = false;
    });
    document.getElementById("failed").hidden = false;
  }

  function fail(event) {
    var failed = event.target && event.target.tagName;
    if (failed && failed !== "SCRIPT") return; // a picture or a style
    hasFailed = true;
    if (document.readyState !== "loading") show();
  }

  addEventListener("error", fail, true);
  addEventListener("unhandledrejection", fail);
  setTimeout(show, PATIENCE_MS);
  document.addEventListener("DOMContentLoaded", function () {
    var retry = document.getElementById("failed-retry");
    if (!retry) return; // the console has begun
    retry.addEventListener("click", function (event) {
      event.preventDefault(); // the link alone would lose the part of the address that names the page
      location.reload();
    });
    if (hasFailed) show();
  });
})();
