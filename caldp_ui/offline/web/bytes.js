const bytesOf = text => Uint8Array.from(atob(text), letter => letter.charCodeAt(0));
const PARTS = JSON.parse(document.getElementById("parts").textContent);
