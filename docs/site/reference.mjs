/**
 * Builds the API reference of the site by `deno doc --html`, one module a public subpath.
 *
 * `deno doc` knows files, not package names: modules are built from stubs that are named like their subpath, and the pages
 * get the names that users import, a start page that lists the modules, and styles for narrow windows.
 *
 * @module
 */
import { spawnSync } from "node:child_process";
import {
  appendFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { findRuntime } from "../../scripts/runtimes.mjs";

const styles = `
.ddoc, .ddoc > *, .ddoc main, .ddoc #content > * { min-width: 0; max-width: 100% }
.ddoc pre { overflow-x: auto }
.ddoc #guides { font-size: 0.875rem; text-decoration: underline }
.ddoc #modules { display: grid; grid-template-columns: max-content 1fr; gap: 0.5rem 1.5rem; margin-top: 1rem }
.ddoc #modules dt { font-family: monospace; text-decoration: underline }
@media (max-width: 1023px) {
  .ddoc #content { display: block }
  .ddoc main { overflow-wrap: anywhere }
  .ddoc .breadcrumbs { flex-wrap: wrap }
  #topnav, #topnav > div { height: auto; flex-wrap: wrap; position: static }
}
@media (max-width: 639px) {
  .ddoc #modules { display: block }
  .ddoc #modules dd { margin: 0 0 0.75rem }
}
`;

/** @param {string} text */
const escape = (text) =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replace(
    /`([^`]+)`/g,
    "<code>$1</code>",
  );

/**
 * Builds the reference.
 *
 * @param {string} root the checkout
 * @param {string} folder where it goes
 * @returns {ReadonlyArray<import("./search.mjs").Place>} what the search finds there
 */
export const buildReference = (root, folder) => {
  const stubs = join(root, ".cache", "api");
  rmSync(stubs, { recursive: true, force: true });
  mkdirSync(stubs, { recursive: true });
  /** @type {Record<string, string>} */
  const subpaths =
    JSON.parse(readFileSync(join(root, "deno.json"), "utf8")).exports;
  const modules = Object.entries(subpaths).filter(([subpath]) =>
    subpath !== "./cli"
  ).map(([subpath, source]) => {
    const header =
      /^\/\*\*[\s\S]*?\*\//.exec(readFileSync(join(root, source), "utf8"))
        ?.[0] ?? "";
    const file = `${
      subpath === "." ? "shell" : subpath.slice(2).replaceAll("/", ".")
    }.ts`;
    writeFileSync(
      join(stubs, file),
      `${header}\nexport * from "../../${source.slice(2)}"\n`,
    );
    const text = header.split("\n").slice(1, -1).map((line) =>
      line.replace(/^\s*\* ?/, "")
    );
    const first = text.slice(0, text.indexOf("")).join(" ");
    return { file, name: `@sluice/shell${subpath.slice(1)}`, about: first };
  });

  const deno = findRuntime("deno", root);
  if (deno === undefined) throw new Error("deno is not installed");
  const options = [
    "--quiet",
    "--html",
    "--name=Sluice",
    `--output=${folder}`,
  ];
  const { status } = spawnSync(deno, [
    "doc",
    ...options,
    ...modules.map(({ file }) => join(stubs, file)),
  ], {
    cwd: root,
    stdio: ["ignore", 2, 2],
  });
  if (status !== 0) throw new Error("deno doc failed");

  // Sources are named by their place on this machine.
  /** @type {string} */
  const repository =
    JSON.parse(readFileSync(join(root, "package.json"), "utf8")).repository.url;
  const sources = `${repository.replace(/^git\+|\.git$/g, "")}/blob/main/`;
  const local = pathToFileURL(root).href;
  for (
    const file of readdirSync(folder, { recursive: true, encoding: "utf8" })
  ) {
    if (!file.endsWith(".html")) continue;
    const module = modules.find((each) => file.startsWith(`${each.file}/`));
    let html = readFileSync(join(folder, file), "utf8")
      .replaceAll(local, sources)
      .replaceAll(local.replaceAll("/", "&#x2F;"), sources)
      // A server decodes `%2F` and then finds no file of that name.
      .replace(/href="[^"]*"/g, (link) => link.replaceAll(/%(?=2F|3A)/g, "_"))
      // Its own search knows names alone; the site's has the guides too.
      .replace(
        /<input[^>]*id="searchbar"[^>]*>/,
        `<button type="button" data-search>Search <kbd>Ctrl K</kbd></button>`,
      )
      .replace(
        /<script src="([^"]*)search_index\.js" defer><\/script>/,
        `<link rel="icon" href="data:,"><link rel="stylesheet" href="$1../search.css">`,
      )
      .replace(/<script src="[^"]*fuse\.js" defer><\/script>/, "")
      .replace(
        /<script src="([^"]*)search\.js" defer>/,
        `<script src="$1../search.js" type="module">`,
      )
      // deno doc splits the name of this property at its dot.
      .replaceAll("ShellApi._2Fopenapi.html", "ShellApi._2Fopenapi.json.html")
      .replace(
        /(<div class="flex items-center gap-2">)/,
        `$1<a id="guides" href="/getting-started.html">Guides</a>`,
      );
    if (module !== undefined) {
      // The page's title, its breadcrumbs and the import that it shows.
      html = html.replace(
        /(<title>[^<]*)<\/title>/,
        (title) => title.replace(module.file, module.name),
      )
        .replaceAll(`>${module.file}<`, `>${module.name}<`)
        .replaceAll(`&quot;${module.file}&quot;`, `&quot;${module.name}&quot;`)
        .replaceAll(`"${module.file}";`, `"${module.name}";`);
    }
    if (file === "index.html") {
      const list = modules.map(({ about, file, name }) =>
        `<dt><a href="./${file}/index.html">${name}</a></dt><dd>${
          escape(about)
        }</dd>`
      );
      html = html.replace(
        "<main></main>",
        `<main><h1 class="text-2xl font-bold">API reference</h1><dl id="modules">${
          list.join("")
        }</dl></main>`,
      );
    }
    rmSync(join(folder, file));
    writeFileSync(join(folder, file.replaceAll("%", "_")), html);
  }
  appendFileSync(join(folder, "page.css"), styles);

  const [, json = ""] = /= (\{.*\});\s*\}\)\(\)/s.exec(
    readFileSync(join(folder, "search_index.js"), "utf8"),
  ) ?? [];
  /** @type {ReadonlyArray<{ name: string, file: string, doc?: string, url: string }>} */
  const nodes = JSON.parse(json).nodes;
  for (const file of ["search_index.js", "fuse.js", "search.js"]) {
    rmSync(join(folder, file));
  }

  // The reference and the guides share the choice of light or dark.
  const toggle = join(folder, "darkmode_toggle.js");
  writeFileSync(
    toggle,
    readFileSync(toggle, "utf8")
      .replaceAll(
        `localStorage.setItem("theme"`,
        `localStorage.setItem("vitepress-theme-appearance"`,
      )
      .replaceAll(
        `localStorage.getItem("theme")`,
        `localStorage.getItem("vitepress-theme-appearance")?.replace("auto", "")`,
      ),
  );
  const names = new Map(modules.map(({ file, name }) => [file, name]));
  // Exported names and their members; what is deeper is on their pages.
  return nodes.filter(({ name }) => /^[\w$]+(?:\.[\w$]+)?$/.test(name)).map((
    { doc = "", file, name, url },
  ) => ({
    id: join("api", url).replaceAll("%", "_"),
    page: names.get(file) ?? file,
    title: name,
    about: "",
    text: doc,
    kind: "api",
  }));
};
