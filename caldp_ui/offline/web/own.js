
/* A picture of a page's own in its part; sliders find it by its key. */

{
    const parent = document.querySelector(`#${PART} [data-key="${KEY}"]`).attachShadow({mode: "open"});
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(STYLE);
    parent.adoptedStyleSheets = [sheet];
    parent.append(Object.assign(document.createElement("div"), {className: KIND}));
    mount({data: MESSAGE, parentElement: parent, setTriggerValue() {}});
}
