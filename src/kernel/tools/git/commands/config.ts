/** Implements `git config`. Source: git-config(1). */
import { compileGlob } from "../../../utilities/shared/compileGlob.ts"
import { fatal, GitError, unsupported } from "../GitError.ts"
import type { Command } from "../Session.ts"
import { ConfigFile, configKey } from "../repository/Config.ts"

const typed = (value: string, type: string | undefined, key: string): string => {
  const bad = (): never => fatal(`bad ${type === "bool" ? "boolean" : "numeric"} config value '${value}' for '${key}'`)
  if (type === "bool") {
    const text = value.toLowerCase()
    return ["true", "yes", "on", "1"].includes(text)
      ? "true"
      : ["false", "no", "off", "0", ""].includes(text)
      ? "false"
      : bad()
  }
  if (type !== "int") return value
  const [, number, unit = ""] = /^(-?\d+)([kmg]?)$/i.exec(value) ?? []
  return number === undefined ? bad() : `${Number(number) * 1024 ** " kmg".indexOf(unit.toLowerCase() || " ")}`
}

export const config: Command = async (git, args) => {
  const line = git.parse(
    "config",
    "+global local system worktree f|file: get get-all get-regexp add unset unset-all replace-all l|list e|edit remove-section rename-section bool int path type: z|null name-only show-origin show-scope default: includes no-includes bool-or-int",
    args,
  )
  line.refuse("system worktree e show-scope replace-all", "use --global or --local")
  const all = await git.config()
  const path = line.value("f")
  const file = path !== undefined ? new ConfigFile(git.system, path) : line.has("global") ? all.global : undefined
  const isLocal = line.has("local") || (file === undefined && await git.hasRepository())
  const target = file ?? all.local
  const entries = async (): Promise<ReadonlyArray<readonly [string, string]>> =>
    file !== undefined
      ? (await file.entries()).map(({ key, value }) => [key, value] as const)
      : line.has("local")
      ? (await all.local?.entries() ?? []).map(({ key, value }) => [key, value] as const)
      : all.list()
  const end = line.has("z") ? "\0" : "\n"
  const type = line.has("bool") ? "bool" : line.has("int") ? "int" : line.value("type")
  if (type !== undefined && !["bool", "int", "path"].includes(type)) {
    unsupported(`the type '${type}'`, "use bool or int")
  }
  if (line.has("local") && !await git.hasRepository()) return fatal("--local can only be used inside a git repository")
  const [given = "", value, ...rest] = line.operands
  if (line.has("l")) {
    for (const [key, each] of await entries()) {
      git.print(line.has("name-only") ? key + end : `${key}${line.has("z") ? "\n" : "="}${each}${end}`)
    }
    return
  }
  if (given === "") throw new GitError(129, "usage: git config [<options>]")
  if (line.has("get-regexp")) {
    const glob = compileGlob(
      `*${given.replace(/^\^/, "").replace(/\$$/, "").replaceAll(".*", "*").replaceAll("\\.", ".")}*`,
    )
    const anchored = given.startsWith("^")
    const found = (await entries()).filter(([key]) =>
      glob(key) && (!anchored || key.startsWith(given.slice(1).replace(/[\\.*].*$/, "")))
    )
    for (const [key, each] of found) git.print(line.has("name-only") ? key + end : `${key} ${each}${end}`)
    return found.length === 0 ? 1 : 0
  }
  if (line.has("remove-section")) {
    return target !== undefined && await target.removeSection(given) ? 0 : fatal(`no such section: ${given}`)
  }
  if (line.has("rename-section")) return void await target?.renameSection(given, value ?? "")
  const key = configKey(given)
  const name = given.slice(given.lastIndexOf(".") + 1)
  const writes = line.has("add") || line.has("unset") || line.has("unset-all") ||
    (value !== undefined && !line.has("get") && !line.has("get-all"))
  if (!writes) {
    const found = (await entries()).flatMap(([each, text]) => each === key ? [text] : [])
    const shown = line.has("get-all") ? found : found.slice(-1)
    if (shown.length === 0 && line.has("default")) shown.push(line.value("default") ?? "")
    for (const text of shown) git.print(typed(text, type, given) + end)
    return shown.length === 0 ? 1 : 0
  }
  if (rest.length > 0) unsupported("a pattern of values", "leave it out")
  if (target === undefined || (!isLocal && file === undefined)) return fatal("not in a git directory")
  if (line.has("unset") || line.has("unset-all")) {
    const count = await target.unset(key, line.has("unset-all"))
    if (count > 1 && !line.has("unset-all")) git.warn(`warning: ${key} has multiple values`)
    return count === 0 || (count > 1 && !line.has("unset-all")) ? 5 : 0
  }
  const many = line.has("add") ? 0 : (await target.entries()).filter((entry) => entry.key === key).length
  if (many > 1) {
    git.warn(
      `warning: ${key} has multiple values\nerror: cannot overwrite multiple values with a single value\n       Use a regexp, --add or --replace-all to change ${key}.`,
    )
    return 5
  }
  await target.set(key, name, typed(value ?? "", type, given), line.has("add"))
  return 0
}
