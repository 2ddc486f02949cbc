// Asks how the login is, anew when the page is shown again, and goes on when it is approved.
// From the background no browser opens an app, and Chromium on Android none without a tap.
(() => {
  const main = document.querySelector("main[data-status-url]");
  const form = document.getElementById("complete");
  if (!main || !form) return;
  stop(); // This script asks instead.
  const { app } = main.dataset;
  let asking = false;
  let left = false;
  const needsTap = () =>
    app && /Android/.test(navigator.userAgent) && !navigator.userActivation?.isActive;
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
          if (app) {
            // It opens beside this, if allowed.
            main.className = "opened";
            main.querySelector("h1").textContent = app;
            main.querySelector(".waits").textContent = main.dataset.beside;
            form.hidden = false;
          }
          form.submit();
          return;
        }
        // What nothing held back comes at once.
        if (Date.now() - start > 1000) pause = 0.2;
        if (result.status !== "pending") left = true;
      } else if (answer.status === 404) left = true;
      else pause = 10;
      if (left) location.reload();
    } catch {
      // Offline, or asleep.
    } finally {
      asking = false;
    }
    setTimeout(ask, pause * 1000);
  }
  document.addEventListener("visibilitychange", () => document.hidden || ask());
  addEventListener("pageshow", (event) => event.persisted && ask());
  const resend = document.getElementById("resend");
  if (resend) setTimeout(() => (resend.hidden = false), main.dataset.resend * 1000);
  ask();
})();
