/**
 * Builds the page in which the sandbox runs in the reader's browser: the kernel, the shell and the terminal in one script,
 * and what loads on first use (`awk`, `jq`, `tar`, …) in scripts of their own.
 *
 * @module
 */
import { cpSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { gzipSync } from "node:zlib"
import { rolldown } from "rolldown"

const here = fileURLToPath(new URL("try", import.meta.url))
const modules = fileURLToPath(new URL("../../node_modules", import.meta.url))

/**
 * Writes the page into a folder. Returns the bytes, compressed by gzip, that a browser loads before a lazy tool is used.
 *
 * @param {string} folder
 * @returns {Promise<number>}
 */
export const buildTry = async (folder) => {
  mkdirSync(folder, { recursive: true })
  const bundle = await rolldown({
    input: join(here, "main.ts"),
    platform: "browser",
  })
  const { output } = await bundle.write({
    dir: folder,
    format: "esm",
    minify: true,
    entryFileNames: "main.js",
    chunkFileNames: "[name]-[hash].js",
    comments: { legal: true },
  })
  await bundle.close()
  cpSync(join(here, "page.html"), join(folder, "index.html"))
  const styles = [
    join(modules, "@xterm/xterm/css/xterm.css"),
    join(here, "page.css"),
  ]
  writeFileSync(
    join(folder, "try.css"),
    styles.map((file) => readFileSync(file, "utf8")).join("\n"),
  )
  const loaded = new Set(["main.js"])
  for (const name of loaded) {
    const chunk = output.find(({ fileName }) => fileName === name)
    if (chunk?.type === "chunk") {
      for (const other of chunk.imports) loaded.add(other)
    }
  }
  return [...loaded, "index.html", "try.css"]
    .reduce(
      (sum, name) => sum + gzipSync(readFileSync(join(folder, name))).length,
      0,
    )
}
