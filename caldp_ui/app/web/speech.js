/* The new headline for who does not see it, once it has settled after something was done on the page.
   A page that has just come is not spoken: there the headline is read as any other text. */

{
    const SETTLED_MS = 1000;
    const UNSEEN = "position: fixed; top: 0; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%)";
    const region = document.createElement("div");
    region.setAttribute("role", "status");
    region.style.cssText = UNSEEN;
    addEventListener("DOMContentLoaded", () => document.body.append(region));

    /** Where something was done last, and where a headline was seen last. */
    let donePath = "", seenPath = "", seen = "";
    /** @type {number | undefined} */
    let timer;
    /** What stands there before anything is done is not news, though no run has ended yet. */
    const noteAct = () => {
        if (seenPath !== location.pathname) look();
        donePath = location.pathname;
    };
    for (const kind of ["keydown", "pointerdown", "input"]) {
        addEventListener(kind, noteAct, {capture: true, passive: true});
    }

    /** The page's own headline: a film's stands before it. */
    const readHeadline = () => {
        const parts = Array.from(document.querySelectorAll(".st-key-headline .headline")).at(-1)?.children ?? [];
        return Array.from(parts, part => part.textContent).join(" ");
    };

    const look = () => {
        const text = readHeadline(), isNews = donePath === location.pathname && seenPath === donePath;
        if (!text || (text === seen && seenPath === location.pathname)) return;
        [seen, seenPath] = [text, location.pathname];
        clearTimeout(timer);
        if (isNews) timer = setTimeout(speak, SETTLED_MS);
    };

    const speak = () => {
        if (readHeadline() !== seen) look();
        else if (region.textContent !== seen) region.textContent = seen;
    };

    /** @type {number[]} */
    let later = [];
    document.addEventListener("caldp:rest", () => {
        look();
        later.forEach(clearTimeout);
        // A busy browser draws a headline after the end of its run.
        later = [1, 3, 9].map(times => setTimeout(look, times * SETTLED_MS));
    });
}
