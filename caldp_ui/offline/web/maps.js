
/* Maps in their parts. */

code({data: [JSON.parse(document.getElementById("looks").textContent)]});
for (const {id, kind, head, parcels: packed} of PARTS) {
    if (kind !== "maps") continue;
    const host = document.querySelector(`#${id} .picture`);
    const parent = host.attachShadow({mode: "open"});
    parent.append(Object.assign(document.createElement("div"), {className: "room"}));
    for (const text of packed) feed({data: bytesOf(text), parentElement: {host}});
    mount({data: [head], parentElement: parent, setTriggerValue() {}});
}
