// Asks how the login is and goes on when it is approved; asks again when the page is shown again.
// From the background no browser opens an app: the code would be lost. Chromium on Android
// opens none without a tap either: there the page with the button comes.
(() => {
  const main = document.querySelector("main[data-status-url]");
  const form = document.getElementById("complete");
  if (!main || !form) return;
  stop(); // The page need not refresh itself while this script runs.
  let asking = false;
  let left = false;
  const later = (seconds) => setTimeout(ask, seconds * 1000);
  const needsTap = () =>
    "app" in main.dataset &&
    /Android/.test(navigator.userAgent) &&
    !navigator.userActivation?.isActive;
  async function ask() {
    if (asking || left) return;
    asking = true;
    let pause = 3;
    const start = Date.now();
    try {
      const answer = await fetch(main.dataset.statusUrl, { cache: "no-store" });
      if (answer.ok) {
        const { result } = await answer.json();
        if (result.status === "approved") {
          if (document.hidden) return;
          left = true;
          if (needsTap()) return location.reload();
          // An app opens beside this page, if allowed.
          form.hidden = !("app" in main.dataset);
          form.submit();
          return;
        }
        // An answer that nothing held back would only come again.
        if (Date.now() - start > 1000) pause = 0.2;
        if (result.status !== "pending") left = true;
      } else if (answer.status === 404) left = true;
      else pause = 10;
      if (left) location.reload();
    } catch {
      // Offline, or the phone was asleep.
    } finally {
      asking = false;
    }
    later(pause);
  }
  document.addEventListener("visibilitychange", () => document.hidden || ask());
  addEventListener("pageshow", (event) => event.persisted && ask());
  const resend = document.getElementById("resend");
  if (resend) setTimeout(() => (resend.hidden = false), main.dataset.resend * 1000);
  ask();
})();
