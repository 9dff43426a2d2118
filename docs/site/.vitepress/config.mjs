/** Site of guides and API reference: static, with a search over both (`search.mjs`), without external requests. */
import { fileURLToPath } from "node:url";
import { defineConfig } from "vitepress";
import { guides } from "../guides.mjs";

const path = (/** @type {string} */ name) =>
  fileURLToPath(new URL(name, import.meta.url));

const base = process.env["SLUICE_SITE_BASE"] ?? "/";

export default defineConfig({
  title: "Sluice",
  description:
    "Run commands as typed, windowed, journaled streams on Deno, Bun and Node.",
  // A copy that `build.mjs` makes: pages must stand in a folder that finds Vue in its `node_modules`.
  srcDir: path("../pages"),
  outDir: path("../../../.cache/site"),
  cacheDir: path("../../../.cache/vitepress"),
  // The pages work from any folder of a server.
  base,
  head: [["link", { rel: "icon", href: "data:," }], ["script", { type: "module", src: `${base}search.js` }]],
  cleanUrls: false,
  // `build.mjs` checks links to the API reference and the page with the sandbox, which are written after the build.
  ignoreDeadLinks: [/^\/(api|try)\//],
  themeConfig: {
    nav: [
      {
        text: "Guides",
        link: `/${guides[0]?.pages[0]?.file.replace(/\.md$/, "")}`,
      },
      { text: "API", link: "/api/index.html", target: "_self" },
      { text: "Try it", link: "/try/index.html", target: "_self" },
    ],
    sidebar: guides.map(({ group, pages }) => ({
      text: group,
      items: pages.map(({ file, title }) => ({
        text: title,
        link: `/${file.replace(/\.md$/, "")}`,
      })),
    })),
    outline: [2, 3],
  },
});
