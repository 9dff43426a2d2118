/** Reads and changes references: loose, packed and symbolic ones, with their logs. Source: gitrepository-layout(5). */
import { FileType } from "../../../Stat.ts"
import type { System } from "../../../System.ts"
import { compareStrings } from "../../../binaryString.ts"
import { failure, fatal } from "../GitError.ts"
import { appendText, exists, isDirectory, readTextIfExists, removeEmptyParents, replaceFile } from "./files.ts"
import { formatSignature, parseSignature, type Signature } from "./objects.ts"

export const zeroOid: string = "0".repeat(40)
const maxSymbolicDepth = 5
const maxRefs = 200_000

/** A line of the log of a reference, the newest first in lists. */
export interface LogEntry {
  readonly old: string
  readonly oid: string
  readonly who: Signature
  readonly message: string
}

export const isOid = (text: string): boolean => /^[0-9a-f]{40}$/.test(text)

/** Whether git accepts a name for a reference. Source: git-check-ref-format(1). */
export const isRefName = (name: string): boolean =>
  // deno-lint-ignore no-control-regex -- a name may not have control characters
  !/[\x00-\x20\x7f~^:?*[\\]|\.\.|@\{|\/\/|^\/|\/$|\.$|(?:^|\/)\.|\.lock(?:\/|$)|^@$|^-/.test(name) && name !== ""

/** A reference without `refs/heads/`, `refs/tags/` or `refs/remotes/`. */
export const shortRefName = (name: string): string => name.replace(/^refs\/(?:heads|tags|remotes)\//, "")

export class Refs {
  readonly #system: System
  readonly #gitdir: string

  constructor(system: System, gitdir: string) {
    this.#system = system
    this.#gitdir = gitdir
  }

  async #packed(): Promise<Map<string, string>> {
    const refs = new Map<string, string>()
    for (const line of (await readTextIfExists(this.#system, `${this.#gitdir}/packed-refs`) ?? "").split("\n")) {
      const [, oid, name] = /^([0-9a-f]{40}) (.+)$/.exec(line) ?? []
      if (oid !== undefined && name !== undefined) refs.set(name, oid)
    }
    return refs
  }

  /** Reads the content of a reference file: an id, or `ref: …`. */
  async #raw(name: string): Promise<string | undefined> {
    const loose = (await readTextIfExists(this.#system, `${this.#gitdir}/${name}`))?.trim()
    return loose || (await this.#packed()).get(name)
  }

  /** The id that a reference leads to. */
  async resolve(name: string, depth = 0): Promise<string | undefined> {
    const raw = await this.#raw(name)
    if (raw === undefined || depth > maxSymbolicDepth) return undefined
    if (raw.startsWith("ref: ")) return this.resolve(raw.slice(5), depth + 1)
    return isOid(raw) ? raw : undefined
  }

  /** The reference that a symbolic one names. */
  async target(name: string): Promise<string | undefined> {
    const raw = await this.#raw(name)
    return raw?.startsWith("ref: ") === true ? raw.slice(5) : undefined
  }

  /** All references below a prefix, sorted. */
  async list(prefix = "refs/"): Promise<ReadonlyArray<readonly [name: string, oid: string]>> {
    const names = new Map<string, string>()
    for (const [name, oid] of await this.#packed()) if (name.startsWith(prefix)) names.set(name, oid)
    const collect = async (folder: string): Promise<void> => {
      const entries = this.#system.list(`${this.#gitdir}/${folder}`)
      if (typeof entries === "number") return
      for (const { name, type } of entries) {
        const path = `${folder}/${name}`
        if (type === FileType.directory) await collect(path)
        else if (path.startsWith(prefix)) {
          const oid = await this.resolve(path)
          if (oid !== undefined) names.set(path, oid)
        }
        if (names.size > maxRefs) fatal(`more than ${maxRefs} references`)
      }
      await this.#system.yield()
    }
    await collect("refs")
    return [...names].sort(([a], [b]) => compareStrings(a, b))
  }

  /** The whole name of an abbreviated one. Source: gitrevisions(7). */
  async expand(name: string): Promise<string | undefined> {
    const forms = [
      name,
      `refs/${name}`,
      `refs/tags/${name}`,
      `refs/heads/${name}`,
      `refs/remotes/${name}`,
      `refs/remotes/${name}/HEAD`,
    ]
    for (const form of forms) {
      if (form === name && !form.startsWith("refs/") && !/^[A-Z_]+$/.test(form)) continue
      if (await this.resolve(form) !== undefined) return form
    }
    return undefined
  }

  async update(name: string, oid: string, who?: Signature, message?: string): Promise<void> {
    const path = `${this.#gitdir}/${name}`
    if (isDirectory(this.#system, path)) {
      const inner = (await this.list(`${name}/`))[0]
      if (inner !== undefined) fatal(`cannot lock ref '${name}': '${inner[0]}' exists; cannot create '${name}'`)
      this.#system.removeDirectory(path)
    }
    const old = await this.resolve(name)
    const parts = name.split("/")
    for (let count = 3; count < parts.length; count++) {
      const above = parts.slice(0, count).join("/")
      if (await this.resolve(above) !== undefined) {
        fatal(`cannot lock ref '${name}': '${above}' exists; cannot create '${name}'`)
      }
    }
    await replaceFile(this.#system, path, `${oid}\n`)
    if (who !== undefined && message !== undefined) await this.log(name, old ?? zeroOid, oid, who, message)
  }

  async setSymbolic(name: string, target: string): Promise<void> {
    await replaceFile(this.#system, `${this.#gitdir}/${name}`, `ref: ${target}\n`)
  }

  async delete(name: string): Promise<void> {
    this.#system.unlink(`${this.#gitdir}/${name}`)
    this.#system.unlink(`${this.#gitdir}/logs/${name}`)
    removeEmptyParents(this.#system, `${this.#gitdir}/${name}`, `${this.#gitdir}/refs/heads`)
    removeEmptyParents(this.#system, `${this.#gitdir}/logs/${name}`, `${this.#gitdir}/logs/refs/heads`)
    const packed = await readTextIfExists(this.#system, `${this.#gitdir}/packed-refs`)
    if (packed === undefined) return
    const lines = packed.split("\n")
    const at = lines.findIndex((line) => line.endsWith(` ${name}`))
    if (at < 0) return
    lines.splice(at, lines[at + 1]?.startsWith("^") === true ? 2 : 1)
    await replaceFile(this.#system, `${this.#gitdir}/packed-refs`, lines.join("\n"))
  }

  async log(name: string, old: string, oid: string, who: Signature, message: string): Promise<void> {
    const line = `${old} ${oid} ${formatSignature(who)}\t${message.replaceAll("\n", " ")}\n`
    await appendText(this.#system, `${this.#gitdir}/logs/${name}`, line)
  }

  /** The log of a reference, the newest entry first. */
  async logOf(name: string): Promise<ReadonlyArray<LogEntry>> {
    const text = await readTextIfExists(this.#system, `${this.#gitdir}/logs/${name}`) ?? ""
    return text.split("\n").flatMap((line) => {
      const [, old, oid, who, message = ""] = /^([0-9a-f]{40}) ([0-9a-f]{40}) (.*?)(?:\t(.*))?$/.exec(line) ?? []
      return old === undefined || oid === undefined ? [] : [{ old, oid, who: parseSignature(who ?? ""), message }]
    }).reverse()
  }

  async replaceLog(name: string, entries: ReadonlyArray<LogEntry>): Promise<void> {
    const lines = [...entries].reverse().map(({ message, oid, who }, at, all) =>
      `${all[at - 1]?.oid ?? zeroOid} ${oid} ${formatSignature(who)}\t${message}\n`
    )
    await replaceFile(this.#system, `${this.#gitdir}/logs/${name}`, lines.join(""))
  }

  has(name: string): boolean {
    return exists(this.#system, `${this.#gitdir}/${name}`)
  }

  requireName(name: string, what: string): void {
    if (!isRefName(name)) {
      what === "branch"
        ? fatal(`'${name}' is not a valid branch name`)
        : failure(`'${name}' is not a valid ${what} name`)
    }
  }
}
