// Reads the description of the API and makes a form for each operation. No library, no network but this server.
"use strict";

const element = (name, properties, ...children) => {
  const made = Object.assign(document.createElement(name), properties);
  made.append(...children);
  return made;
};

const inputsOf = (operation) =>
  (operation.parameters || [])
    .filter((parameter) => parameter.in !== "cookie" && parameter.name !== "PROJECT-ID")
    .map((parameter) => {
      const input = element("input", { name: parameter.name, placeholder: parameter.in });
      return { parameter, input, label: element("label", { title: parameter.description || "" }, `${parameter.name} `, input) };
    });

const address = (path, inputs) => {
  let target = path;
  const query = new URLSearchParams();
  for (const { parameter, input } of inputs) {
    if (parameter.in === "path") target = target.replace(`{${parameter.name}}`, encodeURIComponent(input.value));
    else if (parameter.in === "query" && input.value !== "") query.set(parameter.name, input.value);
  }
  return query.size ? `${target}?${query}` : target;
};

const headersOf = (inputs) =>
  Object.fromEntries(
    inputs
      .filter(({ parameter, input }) => parameter.in === "header" && input.value !== "")
      .map(({ parameter, input }) => [parameter.name, input.value]),
  );

const call = async (method, target, more, body) => {
  const headers = { ...more, "x-apikey": document.getElementById("key").value };
  const project = document.getElementById("project").value;
  if (project) headers["PROJECT-ID"] = project;
  if (body) headers["content-type"] = "application/json";
  const answer = await fetch(target, { method, headers, body: body || undefined });
  const text = await answer.text();
  try {
    return `${answer.status}\n${JSON.stringify(JSON.parse(text), null, 2)}`;
  } catch {
    return `${answer.status}\n${text}`;
  }
};

const section = (path, method, operation) => {
  const inputs = inputsOf(operation);
  const example = operation.requestBody?.content["application/json"].example;
  const body = operation.requestBody && element("textarea", { value: JSON.stringify(example, null, 2) });
  const shown = element("pre", { hidden: true });
  const send = element("button", { type: "button", textContent: "Send" });
  send.addEventListener("click", async () => {
    shown.hidden = false;
    shown.textContent = "…";
    try {
      shown.textContent = await call(method.toUpperCase(), address(path, inputs), headersOf(inputs), body?.value);
    } catch (error) {
      shown.textContent = String(error);
    }
  });
  const heading = element("summary", {}, element("code", { textContent: `${method.toUpperCase()} ${path}` }), ` ${operation.summary}`);
  return element("details", {}, heading, ...inputs.map(({ label }) => label), ...(body ? [body] : []), send, shown);
};

const show = async () => {
  const main = document.getElementById("operations");
  const description = await (await fetch("/openapi.json")).json();
  main.textContent = "";
  for (const [path, operations] of Object.entries(description.paths)) {
    for (const [method, operation] of Object.entries(operations)) main.append(section(path, method, operation));
  }
};

show();
