
/* The picture of answers in its part: the film moves it, ticks need the dashboard. */

{
    const {head, parcels} = PARTS.find(({id}) => id === PART);
    const parent = document.querySelector(`#${PART} .picture`).attachShadow({mode: "open"});
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(STYLE);
    parent.adoptedStyleSheets = [sheet];
    const root = Object.assign(document.createElement("div"), {className: KIND});
    parent.append(root);
    mount({data: head, parentElement: parent, setTriggerValue() {}});
    root.querySelector(".board").inert = true;
    parcels.forEach((text, i) => hub.come(bytesOf(text), {i}));
}
