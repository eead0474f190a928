// Parts are deflated JSON in base64: in this page, or in scripts beside it that call receivePart.
const outline = JSON.parse(document.getElementById("outline").textContent);
const awaited = new Map();

window.receivePart = (name, content) => awaited.get(name)?.(content);

function fetchPart(name) {
  const inline = document.querySelector(`script.part[data-name="${name}"]`);
  if (inline) return Promise.resolve(inline.textContent);
  return new Promise((resolve, reject) => {
    const script = document.createElement("script");
    const settle = (done, value) => { awaited.delete(name); script.remove(); done(value); };
    awaited.set(name, (content) => settle(resolve, content));
    script.onerror = () => settle(reject, new Error(`${outline.folder}/${name}.js is missing: keep the folder next to this page`));
    script.src = `${outline.folder}/${name}.js`;
    document.head.append(script);
  });
}

const loading = new Map();

function loadPart(name) {
  if (!loading.has(name)) {
    const loaded = fetchPart(name).then(unpack);
    const forget = () => loading.delete(name);
    loading.set(name, loaded);
    loaded.then(forget, forget);
  }
  return loading.get(name);
}

async function unpack(content) {
  const bytes = Uint8Array.from(atob(content), (letter) => letter.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate-raw"));
  return JSON.parse(await new Response(stream).text());
}

// Our own markup, in which all text of the dataset is escaped. Pictures are named by their place in the part.
function build(html, pictures) {
  const template = document.createElement("template");
  template.innerHTML = html;
  for (const image of template.content.querySelectorAll("img[data-picture]")) image.src = pictures[image.dataset.picture];
  return template.content;
}

function tellTrouble(element, error) {
  const line = document.createElement("p");
  line.className = "problem";
  line.textContent = error.message;
  element.replaceChildren(line);
}
