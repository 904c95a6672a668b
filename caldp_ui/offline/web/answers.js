
/* Pictures of answers in their parts: the film moves them, ticks need the dashboard. */

{
    const bytesOf = text => Uint8Array.from(atob(text), letter => letter.charCodeAt(0));
    for (const {id, head, parcels} of JSON.parse(document.getElementById("parts").textContent)) {
        if (head.ground) continue;
        const host = document.querySelector(`#${id} .picture`);
        const parent = host.attachShadow({mode: "open"});
        const sheet = new CSSStyleSheet();
        sheet.replaceSync(CHART_STYLE);
        parent.adoptedStyleSheets = [sheet];
        const root = Object.assign(document.createElement("div"), {className: "chart"});
        parent.append(root);
        mount({data: head, parentElement: parent, setTriggerValue() {}});
        root.querySelector(".board").inert = true;
        parcels.forEach((text, i) => hub.come(bytesOf(text), {i}));
    }
}
