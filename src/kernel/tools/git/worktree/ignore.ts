/** Decides which files of the work tree git ignores. Source: gitignore(5). */
import { judge, parseRules, type Verdict } from "../../../utilities/rg/IgnoreRules.ts"
import type { Repository } from "../repository/Repository.ts"
import { readTextIfExists } from "../repository/files.ts"

type Rules = ReturnType<typeof parseRules>

const rulesOf = (text: string | undefined): Rules =>
  text === undefined ? [] : parseRules(text.split("\n").map((line) => line.replace(/\r$/, "")))

export class IgnoreRules {
  readonly #repository: Repository
  readonly #byFolder = new Map<string, Rules>()
  #shared: ReadonlyArray<Rules> | undefined

  constructor(repository: Repository) {
    this.#repository = repository
  }

  async #folder(folder: string): Promise<Rules> {
    const known = this.#byFolder.get(folder)
    if (known !== undefined) return known
    const { system } = this.#repository
    const rules = rulesOf(await readTextIfExists(system, this.#repository.absolute(`${folder}.gitignore`)))
    this.#byFolder.set(folder, rules)
    return rules
  }

  async #sharedRules(): Promise<ReadonlyArray<Rules>> {
    if (this.#shared !== undefined) return this.#shared
    const { config, gitdir, system } = this.#repository
    const home = system.env.get("HOME") ?? ""
    const file = (await config.get("core.excludesfile"))?.replace(/^~\//, `${home}/`) ?? `${home}/.config/git/ignore`
    const texts = [await readTextIfExists(system, `${gitdir}/info/exclude`), await readTextIfExists(system, file)]
    return this.#shared = texts.map(rulesOf)
  }

  /** Whether the last rule that matches a path excludes it; folders above are not looked at. */
  async #own(path: string, isDirectory: boolean): Promise<boolean> {
    const parts = path.split("/")
    for (let count = parts.length - 1; count >= 0; count--) {
      const folder = parts.slice(0, count).map((name) => `${name}/`).join("")
      const verdict: Verdict = judge(await this.#folder(folder), path.slice(folder.length), isDirectory)
      if (verdict !== undefined) return verdict === "ignored"
    }
    for (const rules of await this.#sharedRules()) {
      const verdict = judge(rules, path, isDirectory)
      if (verdict !== undefined) return verdict === "ignored"
    }
    return false
  }

  /** Whether a path is ignored, by its own name or by a folder above it. */
  async isIgnored(path: string, isDirectory: boolean): Promise<boolean> {
    const parts = path.split("/")
    for (let count = 1; count < parts.length; count++) {
      if (await this.#own(parts.slice(0, count).join("/"), true)) return true
    }
    return this.#own(path, isDirectory)
  }

  /** As `isIgnored`, where the folders above are known not to be. */
  isIgnoredBelow(path: string, isDirectory: boolean): Promise<boolean> {
    return this.#own(path, isDirectory)
  }
}
