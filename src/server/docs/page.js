// Draws the page from the API's own document, and sends what is written into its forms.
const make = (name, properties = {}, ...children) => {
  const element = Object.assign(document.createElement(name), properties);
  element.append(...children);
  return element;
};
const base = location.pathname.replace(/\/docs\/?$/, "");
const api = await (await fetch(`${base}/openapi.json`)).json();
const server = api.servers[0].url;
// Values of this world's scenario. They are not there if the admin side is off or needs a token.
const answer = await fetch(`${base}/docs/requests.json`);
const world = answer.ok ? await answer.json() : { key: "", requests: {} };
document.querySelector("#key").value = world.key;
const resolve = (schema) =>
  schema.$ref ? schema.$ref.split("/").slice(1).reduce((at, name) => at[name], api) : schema;

const typed = (schema) => {
  schema = resolve(schema);
  const type = [].concat(schema.type ?? "any").join(" or ");
  if (schema.items) return `list of ${typed(schema.items)}`;
  const values = schema.enum ? `: ${schema.enum.map((value) => JSON.stringify(value)).join(", ")}` : "";
  return `${type}${values}`;
};

// A schema of a route may be any, and contain itself.
const DEEPEST = 5;
const rows = (schema, prefix = "", depth = 0) => {
  schema = resolve(schema);
  if (depth > DEEPEST) return [];
  if (schema.items) return rows(schema.items, `${prefix}[]`, depth + 1);
  return Object.entries(schema.properties ?? {}).flatMap(([name, inner]) => {
    const own = `${prefix}${prefix ? "." : ""}${name}`;
    const mark = schema.required?.includes(name) && !prefix ? "required" : "";
    const row = make("tr", {}, make("td", {}, make("code", { textContent: own })),
      make("td", { textContent: typed(inner) }), make("td", { textContent: mark }));
    return [row, ...rows(inner, own, depth + 1)];
  });
};

const table = (heads, lines) =>
  make("table", {}, make("thead", {}, make("tr", {}, ...heads.map((head) => make("th", { scope: "col", textContent: head })))),
    make("tbody", {}, ...lines));

const form = (path, method, operation) => {
  const filled = world.requests[operation.operationId] ?? {};
  const inputs = operation.parameters.map((parameter) => {
    const value = { path: filled.path, query: filled.query?.[parameter.name], header: filled.headers?.[parameter.name] }[parameter.in];
    const input = make("input", { name: parameter.name, value: value ?? parameter.example ?? "", placeholder: parameter.schema.default ?? "" });
    return { parameter, input };
  });
  const json = operation.requestBody?.content["application/json"];
  const body = json && make("textarea", { value: JSON.stringify(filled.body ?? json.example ?? {}, null, 2), spellcheck: false, ariaLabel: "Body" });
  const answer = make("div", { ariaLive: "polite" });
  const send = async (event) => {
    event.preventDefault();
    let target = path;
    const query = new URLSearchParams();
    const headers = json ? { "content-type": "application/json" } : {};
    if (operation.security) headers["x-api-key"] = document.querySelector("#key").value;
    for (const { parameter, input } of inputs) {
      if (parameter.in === "path") target = target.replace(`{${parameter.name}}`, encodeURIComponent(input.value));
      else if (input.value === "") continue;
      else if (parameter.in === "query") query.set(parameter.name, input.value);
      else headers[parameter.name] = input.value;
    }
    const began = performance.now();
    try {
      const got = await fetch(`${server}${target}${query.size ? `?${query}` : ""}`, { method: method.toUpperCase(), headers, body: body?.value });
      const text = await got.text();
      let shown = text;
      try { shown = JSON.stringify(JSON.parse(text), null, 2); } catch { /* shown as it came */ }
      const told = [...got.headers].map(([name, value]) => `${name}: ${value}`).join("\n");
      answer.replaceChildren(
        make("p", { className: "status", textContent: `${got.status} ${got.statusText}, ${(performance.now() - began).toFixed(0)} ms` }),
        make("pre", { textContent: told }), make("pre", { textContent: shown }));
    } catch (error) {
      answer.replaceChildren(make("p", { className: "status", textContent: `no answer: ${error.message}` }));
    }
  };
  const fields = inputs.map(({ parameter, input }) =>
    make("label", {}, `${parameter.name} (${parameter.in})`, input));
  return make("form", { onsubmit: send }, make("div", { className: "fields" }, ...fields), body ?? "",
    make("p", {}, make("button", { textContent: "Send" })), answer);
};

const codes = (operation) => Object.entries(operation.responses).flatMap(([status, response]) => {
  const { example, examples } = response.content?.["application/json"] ?? {};
  const errors = Object.values(examples ?? { only: { value: example } }).map(({ value }) => value);
  return errors.filter((value) => value?.code !== undefined).map((value) =>
    make("tr", {}, make("td", { textContent: status }), make("td", {}, make("code", { textContent: value.code })),
      make("td", { textContent: value.message })));
});

const details = (title, ...children) => make("details", {}, make("summary", { textContent: title }), ...children);
const folded = (title, heads, lines, ...more) => lines.length || more.length ? [details(title, table(heads, lines), ...more)] : [];

const section = (path, method, operation) => {
  const id = operation.operationId;
  document.querySelector("#contents").append(make("a", { href: `#${id}`, textContent: operation.summary }));
  const body = operation.requestBody?.content["application/json"].schema ?? {};
  const success = Object.keys(operation.responses).find((status) => status < 300);
  const answer = Object.values(operation.responses[success]?.content ?? {})[0] ?? {};
  const example = answer.example === undefined ? [] : [make("pre", { textContent: JSON.stringify(answer.example, null, 2) })];
  return make("section", { id },
    make("h2", { textContent: operation.summary }),
    make("code", { className: "path", textContent: `${method.toUpperCase()} ${path}` }),
    ...folded("Fields of the body", ["field", "type", ""], rows(body)),
    ...folded("Fields of the answer", ["field", "type", ""], rows(answer.schema ?? {}), ...example),
    ...folded("Errors", ["status", "code", "message"], codes(operation)),
    make("h3", { textContent: "Try it" }), form(path, method, operation));
};
for (const [path, methods] of Object.entries(api.paths)) {
  for (const [method, operation] of Object.entries(methods)) {
    document.querySelector("#operations").append(section(path, method, operation));
  }
}
document.querySelector("#about").replaceChildren(`Served at ${server}. The same as `, make("a", { href: `${base}/openapi.json`, textContent: "openapi.json" }), ".");
