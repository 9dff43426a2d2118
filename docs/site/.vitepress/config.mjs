/** Site of guides and API reference: static, with local search, without external requests. */
import { fileURLToPath } from "node:url";
import { defineConfig } from "vitepress";
import { guides } from "../guides.mjs";

const path = (/** @type {string} */ name) =>
  fileURLToPath(new URL(name, import.meta.url));

export default defineConfig({
  title: "Sluice",
  description:
    "Run commands as typed, windowed, journaled streams on Deno, Bun and Node.",
  // A copy that `build.mjs` makes: pages must stand in a folder that finds Vue in its `node_modules`.
  srcDir: path("../pages"),
  outDir: path("../../../.cache/site"),
  cacheDir: path("../../../.cache/vitepress"),
  // The pages work from any folder of a server.
  base: process.env["SLUICE_SITE_BASE"] ?? "/",
  cleanUrls: false,
  // `build.mjs` checks links to the API reference, which is copied in after the build.
  ignoreDeadLinks: [/^\/api\//],
  themeConfig: {
    search: { provider: "local" },
    nav: [
      {
        text: "Guides",
        link: `/${guides[0]?.pages[0]?.file.replace(/\.md$/, "")}`,
      },
      { text: "API", link: "/api/index.html", target: "_self" },
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
