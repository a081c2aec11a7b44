// Shows why the console did not begin. It stands by itself, as a plain script: a module that is missing ends all modules.
// In a build it also fetches the part of the console that the address needs, beside the core.
(function () {
  var parts = JSON.parse((document.currentScript && document.currentScript.dataset.parts) || "{}");
  var word = location.hash.replace(/^#\/?/, "").split(/[/?]/)[0];
  if (Object.prototype.hasOwnProperty.call(parts, word)) {
    var link = document.createElement("link");
    link.rel = "modulepreload";
    link.href = parts[word];
    document.head.append(link);
  }
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
