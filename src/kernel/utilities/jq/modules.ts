/** Finds and reads the modules of a jq program. Source: jq(1) "Modules". */
import type { UtilityIo } from "../shared/defineUtility.ts"
import { JqArray, JqObject, type Value } from "./values.ts"
import { JqInput } from "./JqInput.ts"
import { JsonError } from "./JsonParser.ts"
import { ModuleParser } from "./ModuleParser.ts"
import { type Import, type Module, SyntaxFailure } from "./Syntax.ts"
import { TreeBuilder } from "./ValueBuilder.ts"

/** Maximum bytes of a file that a variable gets. */
const maxTextBytes = 4 * 1024 * 1024

/** Maximum characters of a program: it is parsed in one step. */
export const maxSourceLength: number = 524_288
const maxModules = 1_000

/** A module with what it imports. */
export interface LoadedModule {
  readonly module: Module
  readonly imports: ReadonlyArray<readonly [found: Import, content: LoadedModule | Value]>
}

const folderOf = (path: string): string => path.includes("/") ? path.replace(/\/[^/]*$/, "") || "/" : "."

export class ModuleLoader {
  readonly #io: UtilityIo
  /** Search paths of modules, as given. */
  readonly searchPaths: ReadonlyArray<string>
  readonly #known = new Map<string, LoadedModule | undefined>()

  constructor(io: UtilityIo, libraries: ReadonlyArray<string> | undefined) {
    this.#io = io
    this.searchPaths = libraries ?? ["~/.jq", "$ORIGIN/../lib/jq", "$ORIGIN/../lib"]
  }

  /** Reads a whole program or module. */
  readSource(path: string): Promise<string> {
    return this.readText(path, maxSourceLength)
  }

  /** Reads a whole file as text. */
  async readText(path: string, maxBytes: number = maxTextBytes): Promise<string> {
    const fd = this.#io.system.open(path, { read: true })
    if (fd < 0) return this.#io.fail(`error: Could not open ${path}`, fd)
    const decoder = new TextDecoder()
    const buffer = new Uint8Array(65_536)
    let text = ""
    for (;;) {
      await this.#io.flushAndYield()
      const count = await this.#io.system.read(fd, buffer)
      if (count < 0) return this.#io.fail(`error: Could not read ${path}`, count)
      if (count === 0) break
      text += decoder.decode(buffer.subarray(0, count), { stream: true })
      if (text.length > maxBytes) return this.#io.fail(`${path}: more than ${maxBytes} bytes`)
    }
    this.#io.system.close(fd)
    return text + decoder.decode()
  }

  /** All values of a JSON file. */
  readValues(path: string): Promise<Value> {
    return new JqInput(this.#io, [path], new TreeBuilder()).slurp(false)
  }

  /** Loads what a program or a module imports, from the folder it is in. */
  async load(module: Module, folder: string, isMain: boolean): Promise<LoadedModule> {
    const imports: Array<readonly [Import, LoadedModule | Value]> = []
    for (const found of module.imports) {
      const path = this.#find(found, folder, isMain)
      imports.push([found, found.isData ? await this.#data(path) : await this.#library(path)])
    }
    return { module, imports }
  }

  async #data(path: string): Promise<Value> {
    try {
      return await this.readValues(path)
    } catch (cause) {
      if (cause instanceof JsonError) throw new SyntaxFailure(`${path}: ${cause.message}`, 0)
      throw cause
    }
  }

  async #library(path: string): Promise<LoadedModule> {
    const known = this.#known.get(path)
    if (known !== undefined) return known
    if (this.#known.has(path) || this.#known.size >= maxModules) {
      throw new SyntaxFailure(`module ${path} imports itself`, 0)
    }
    this.#known.set(path, undefined)
    const module = new ModuleParser(await this.readSource(path), path).module()
    if (module.body !== undefined) {
      throw new SyntaxFailure("library should only have function definitions, not a main expression", 0)
    }
    const loaded = await this.load(module, folderOf(path), false)
    this.#known.set(path, loaded)
    return loaded
  }

  /** The folders in which a module is searched. */
  #folders({ meta }: Import, folder: string, isMain: boolean): ReadonlyArray<string> {
    const search = meta instanceof JqObject ? meta.entries.get("search") : undefined
    const own = typeof search === "string"
      ? [search]
      : search instanceof JqArray
      ? search.items.flatMap((item) => typeof item === "string" ? [item] : [])
      : []
    const home = this.#io.system.env.get("HOME") ?? "~"
    const expand = (path: string): string => path.replace(/^~(?=\/|$)/, home).replace(/^\$ORIGIN/, "/usr/bin")
    const near = own.map((path) => /^[/~$]/.test(path) ? expand(path) : `${folder}/${path}`)
    return isMain || search === undefined ? [...near, ...this.searchPaths.map(expand)] : near
  }

  #find(found: Import, folder: string, isMain: boolean): string {
    const extension = found.isData ? ".json" : ".jq"
    const path = found.path.replace(/\.(?:jq|json)$/, "")
    const last = path.split("/").at(-1) ?? path
    const folders = this.#folders(found, folder, isMain)
    for (const candidate of folders) {
      for (const file of [`${candidate}/${path}${extension}`, `${candidate}/${path}/${last}${extension}`]) {
        const stat = this.#io.system.stat(file)
        if (typeof stat === "object") return file
      }
    }
    throw new SyntaxFailure(`module not found: ${found.path}\n`, 0)
  }

  /** The metadata of a module, with what it imports. */
  async meta(name: string): Promise<Value> {
    const found: Import = { path: name, name: undefined, isData: false, meta: null }
    const module = new ModuleParser(await this.readSource(this.#find(found, ".", true)), name).module()
    let meta = module.meta instanceof JqObject ? module.meta : new JqObject(new Map())
    const deps = module.imports.map((part) => {
      let entry = part.meta instanceof JqObject ? part.meta : new JqObject(new Map())
      if (part.name !== undefined) entry = entry.with("as", part.name)
      return entry.with("is_data", part.isData).with("relpath", part.path)
    })
    meta = meta.with("deps", new JqArray(deps))
    const names = module.definitions.map((definition) => `${definition.name}/${definition.params.length}`)
    return meta.with("defs", new JqArray(names))
  }
}
