/** Finds and reads ES modules among the files of the sandbox, and says which files are ES modules. */
import { FileType } from "../../Stat.ts"
import type { System } from "../../System.ts"
import { dirName, joinPath, resolvePath } from "../../utilities/shared/paths.ts"

/** Bytes of a module. */
const maxModuleBytes = 16_777_216
/** Marks the path of a module that is not there, whose import throws. */
const missing = "missing:"

/** Reads a file that is there at once; `undefined` if it cannot be read. */
export const readTextFile = (system: System, path: string): string | undefined => {
  const fd = system.open(path, { read: true })
  if (fd < 0) return undefined
  try {
    const stat = system.fstat(fd)
    if (typeof stat === "number" || stat.type !== FileType.regularFile || stat.size > maxModuleBytes) return undefined
    const bytes = new Uint8Array(stat.size)
    let done = 0
    while (done < bytes.length) {
      const count = system.readAt(fd, done, bytes.subarray(done))
      if (count < 0) return undefined
      if (count === 0) break
      done += count
    }
    return new TextDecoder().decode(bytes.subarray(0, done))
  } finally {
    system.close(fd)
  }
}

const isRegularFile = (system: System, path: string): boolean => {
  const stat = system.stat(path)
  return typeof stat === "object" && stat.type === FileType.regularFile
}

/** Whether text has a statement that only modules have. */
export const hasModuleSyntax = (text: string): boolean =>
  /^[ \t]*(?:import\s*(?:[\w$*{]|["'])|export\s*(?:[{*]|(?:default|const|let|var|function|class|async)\b))|\bimport\.meta\b/m
    .test(text)

/** The kind of a file by its name, or by `type` of the next package.json; `undefined` if only its text can say. */
export const moduleKind = (system: System, path: string): "module" | "commonjs" | undefined => {
  if (path.endsWith(".mjs")) return "module"
  if (path.endsWith(".cjs") || path.endsWith(".json")) return "commonjs"
  for (let folder = dirName(path);; folder = dirName(folder)) {
    const found = readTextFile(system, joinPath(folder, "package.json"))
    if (found !== undefined) {
      const type = /"type"\s*:\s*"(module|commonjs)"/.exec(found)?.[1]
      return type === "module" || type === "commonjs" ? type : undefined
    }
    if (folder === "/" || folder === ".") return undefined
  }
}

export const isModuleFile = (system: System, path: string, text: string): boolean => {
  const kind = moduleKind(system, path)
  return kind === undefined ? hasModuleSyntax(text) : kind === "module"
}

/** The path of a `file:` URL, or the specifier; empty for an invalid URL. */
const pathOf = (specifier: string): string => {
  if (!specifier.startsWith("file://")) return specifier
  try {
    return decodeURI(specifier.slice(7))
  } catch {
    return ""
  }
}

export interface ScriptModules {
  readonly resolve: (importer: string, specifier: string) => string
  readonly load: (path: string) => string
}

/** `builtins`: the names that each module of js-exec exports. */
export const makeScriptModules = (
  system: System,
  builtins: () => ReadonlyMap<string, ReadonlyArray<string>>,
): ScriptModules => ({
  resolve: (importer, specifier) => {
    const bare = specifier.replace(/^node:/, "")
    if (builtins().has(bare)) return `node:${bare}`
    const path = pathOf(specifier)
    if (!/^\.{0,2}\//.test(path)) {
      return `${missing}Cannot find package '${specifier}' imported from ${importer}; js-exec has files by their path, and ${
        [...builtins().keys()].join(", ")
      }`
    }
    const folder = importer.startsWith("/") ? dirName(importer) : system.cwd
    const found = resolvePath(system, path.startsWith("/") ? path : joinPath(folder, path), "none")
    return typeof found === "string" && isRegularFile(system, found)
      ? found
      : `${missing}Cannot find module '${specifier}' imported from ${importer}`
  },
  load: (path) => {
    const load = `globalThis[Symbol.for("js-exec.load")](${JSON.stringify(path)})`
    if (path.startsWith(missing)) {
      const message = JSON.stringify(path.slice(missing.length))
      return `throw Object.assign(new Error(${message}), { code: "ERR_MODULE_NOT_FOUND" })`
    }
    if (path.startsWith("node:")) {
      const names = builtins().get(path.slice(5)) ?? []
      const exported = names.filter((name) => name !== "default")
        .map((name, index) =>
          `const value${index} = builtin[${JSON.stringify(name)}]; export { value${index} as ${name} }`
        )
      return `const builtin = ${load}; export default builtin; ${exported.join("; ")}`
    }
    const text = readTextFile(system, path)
    if (text === undefined) return `throw new Error(${JSON.stringify(`cannot read the module ${path}`)})`
    return isModuleFile(system, path, text) ? withMeta(path, text) : `export default ${load}`
  },
})

/** A module whose `import.meta` says where it is, on its own first line. */
export const withMeta = (path: string, text: string): string => {
  const meta = { url: `file://${encodeURI(path)}`, filename: path, dirname: dirName(path) }
  return `Object.assign(import.meta, ${JSON.stringify(meta)});${text.startsWith("#!") ? `//${text}` : text}`
}
