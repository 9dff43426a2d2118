/** Combines the objects, references, index, configuration and work tree of a repository. */
import { encodeLossless } from "../../../../base/surrogateEscape.ts"
import { FileType } from "../../../Stat.ts"
import type { System } from "../../../System.ts"
import { resolvePath } from "../../../utilities/shared/paths.ts"
import { fatal, GitError } from "../GitError.ts"
import { parseGitDate } from "../history/dates.ts"
import { Config } from "./Config.ts"
import { type IndexEntry, IndexFile, statFields } from "./IndexFile.ts"
import { isSafePath } from "./isSafePath.ts"
import { ObjectStore } from "./ObjectStore.ts"
import { Refs } from "./Refs.ts"
import { lstat, readFileIfExists, removeEmptyParents, removeTree, writeBytes } from "./files.ts"
import { modes, type Signature } from "./objects.ts"

export type Role = "AUTHOR" | "COMMITTER"

export class Repository {
  readonly system: System
  readonly gitdir: string
  readonly #top: string | undefined
  readonly objects: ObjectStore
  readonly refs: Refs
  readonly config: Config
  readonly pause: () => Promise<void>
  #index: IndexFile | undefined

  constructor(
    system: System,
    gitdir: string,
    top: string | undefined,
    overrides: ReadonlyArray<readonly [string, string]>,
    pause: () => Promise<void>,
  ) {
    this.system = system
    this.gitdir = gitdir
    this.#top = top
    this.objects = new ObjectStore(system, gitdir)
    this.refs = new Refs(system, gitdir)
    this.config = new Config(system, gitdir, overrides)
    this.pause = pause
  }

  get isBare(): boolean {
    return this.#top === undefined
  }

  /** The path of the work tree. */
  get top(): string {
    return this.#top ?? fatal("this operation must be run in a work tree")
  }

  /** The path of a file of the work tree. */
  absolute(path: string): string {
    return this.top === "/" ? `/${path}` : `${this.top}/${path}`
  }

  /** The working directory below the work tree: empty, or with a slash at its end. */
  get prefix(): string {
    const cwd = resolvePath(this.system, ".", "all")
    if (typeof cwd === "number" || this.#top === undefined) return ""
    if (cwd === this.#top) return ""
    const root = this.#top === "/" ? "/" : `${this.#top}/`
    return cwd.startsWith(root) ? `${cwd.slice(root.length)}/` : ""
  }

  /** A path of the work tree as it is seen from the working directory. */
  relative(path: string): string {
    const prefix = this.prefix
    if (prefix === "") return path
    const [from, to] = [prefix.split("/").slice(0, -1), path.split("/")]
    let same = 0
    while (same < from.length && same < to.length - 1 && from[same] === to[same]) same++
    if (same === from.length && to.length === same + 1 && to[same] === "") return "./"
    return [...from.slice(same).map(() => ".."), ...to.slice(same)].join("/")
  }

  async index(): Promise<IndexFile> {
    return this.#index ??= await IndexFile.read(this.system, `${this.gitdir}/index`)
  }

  /** The branch that is checked out, without `refs/heads/`; `undefined` if HEAD is detached. */
  async branch(): Promise<string | undefined> {
    return (await this.refs.target("HEAD"))?.replace(/^refs\/heads\//, "")
  }

  head(): Promise<string | undefined> {
    return this.refs.resolve("HEAD")
  }

  async headTree(): Promise<string | undefined> {
    const head = await this.head()
    return head === undefined ? undefined : (await this.objects.commit(head)).tree
  }

  /** Returns the signature of an author or committer, with the current time. */
  async signature(role: Role): Promise<Signature> {
    const { env } = this.system
    const of = async (what: "NAME" | "EMAIL"): Promise<string | undefined> =>
      env.get(`GIT_${role}_${what}`) ?? await this.config.get(`${role.toLowerCase()}.${what.toLowerCase()}`) ??
        await this.config.get(`user.${what.toLowerCase()}`)
    const email = await of("EMAIL") ?? env.get("EMAIL")
    const name = await of("NAME")
    if (name === undefined || email === undefined) {
      throw new GitError(
        128,
        `${role === "AUTHOR" ? "Author" : "Committer"} identity unknown\n\n*** Please tell me who you are.\n\nRun\n\n` +
          `  git config --global user.email "you@example.com"\n  git config --global user.name "Your Name"\n\n` +
          "to set your account's default identity.\nOmit --global to set the identity only in this repository.\n\n" +
          "fatal: unable to auto-detect email address (got 'user@sandbox.(none)')",
      )
    }
    const given = env.get(`GIT_${role}_DATE`)
    const date = parseGitDate(given ?? "now", this.system)
    if (date === undefined) return fatal(`invalid date format: ${given}`)
    // Source: git-commit(1) "COMMIT INFORMATION": these characters are left out of names.
    const clean = (text: string): string => text.replace(/[<>\n]/g, "").replace(/^[\s.,:;"'\\]+|[\s.,:;"'\\]+$/g, "")
    if (clean(name) === "") return fatal(`empty ident name (for <${email}>) not allowed`)
    return { name: clean(name), email: clean(email), ...date }
  }

  /** Returns the signature for the reflog: commands that make no commit need no identity. */
  #logger(): Promise<Signature> {
    const seconds = Math.floor(Number(this.system.now() / 1_000_000_000n))
    return this.signature("COMMITTER").catch(() => ({ name: "user", email: "user@sandbox", seconds, zone: "+0000" }))
  }

  /** Moves HEAD, or the branch that it names, and logs both. */
  async moveHead(oid: string, message: string): Promise<void> {
    const who = await this.#logger()
    const old = await this.head() ?? "0".repeat(40)
    const target = await this.refs.target("HEAD")
    await this.refs.update(target ?? "HEAD", oid, target === undefined ? undefined : who, message)
    await this.refs.log("HEAD", old, oid, who, message)
  }

  /** Points HEAD at a branch, or detaches it. */
  async switchHead(
    to: { readonly branch: string } | { readonly oid: string },
    message: string,
    newOid: string,
  ): Promise<void> {
    const old = await this.head() ?? "0".repeat(40)
    const who = await this.#logger()
    if ("branch" in to) await this.refs.setSymbolic("HEAD", `refs/heads/${to.branch}`)
    else await this.#detach(to.oid)
    await this.refs.log("HEAD", old, newOid, who, message)
  }

  async #detach(oid: string): Promise<void> {
    await writeBytes(this.system, `${this.gitdir}/HEAD`, encodeLossless(`${oid}\n`))
  }

  /** The content of a file of the work tree as git stores it; a link is its target. `undefined` if there is none. */
  async readWorktree(path: string): Promise<{ readonly bytes: Uint8Array; readonly mode: number } | undefined> {
    const whole = this.absolute(path)
    const stat = lstat(this.system, whole)
    if (stat === undefined || this.hasLinkAbove(path)) return undefined
    if (stat.type === FileType.symbolicLink) {
      const target = this.system.readlink(whole)
      return typeof target === "string" ? { bytes: encodeLossless(target), mode: modes.link } : undefined
    }
    if (stat.type !== FileType.regularFile) return undefined
    const bytes = await readFileIfExists(this.system, whole)
    return bytes && { bytes, mode: (stat.mode & 0o100) === 0 ? modes.file : modes.executable }
  }

  /** Whether a folder of the path is a symbolic link, behind which files are not in the work tree. */
  hasLinkAbove(path: string): boolean {
    const parts = path.split("/")
    for (let count = 1; count < parts.length; count++) {
      const stat = lstat(this.system, this.absolute(parts.slice(0, count).join("/")))
      if (stat === undefined || stat.type === FileType.directory) continue
      return true
    }
    return false
  }

  /** Writes a blob to the work tree, in place of whatever is there, and returns its entry of the index. */
  async checkoutFile(path: string, oid: string, mode: number): Promise<IndexEntry> {
    if (!isSafePath(path, mode)) fatal(`invalid path '${path}'`)
    const whole = this.absolute(path)
    const parts = path.split("/")
    for (let count = 1; count < parts.length; count++) {
      const above = this.absolute(parts.slice(0, count).join("/"))
      const stat = lstat(this.system, above)
      if (stat !== undefined && stat.type !== FileType.directory) this.system.unlink(above)
    }
    const old = lstat(this.system, whole)
    if (old?.type === FileType.directory) {
      if (mode === modes.submodule) return { path, stage: 0, mode, oid, ...statFields(old), isIntent: false }
      await removeTree(this.system, whole)
    } else if (old !== undefined) this.system.unlink(whole)
    if (mode === modes.submodule) this.system.makeDirectory(whole)
    else {
      const bytes = await this.objects.blob(oid)
      await writeBytes(
        this.system,
        whole,
        mode === modes.link ? new Uint8Array() : bytes,
        mode === modes.executable ? 0o777 : 0o666,
      )
      if (mode === modes.link) {
        this.system.unlink(whole)
        const made = this.system.symlink(new TextDecoder().decode(bytes), whole)
        if (made < 0) fatal(`unable to create symlink ${path}`)
      }
    }
    const stat = lstat(this.system, whole)
    return stat === undefined
      ? fatal(`unable to stat '${path}'`)
      : { path, stage: 0, mode, oid, ...statFields(stat), isIntent: false }
  }

  removeFile(path: string): void {
    if (this.hasLinkAbove(path)) return
    if (this.system.unlink(this.absolute(path)) < 0) this.system.removeDirectory(this.absolute(path))
    removeEmptyParents(this.system, this.absolute(path), this.top)
  }
}
