/** `git remote`. Source: git-remote(1). */
import { fatal, GitError, unsupported } from "../GitError.ts"
import type { Command } from "../Session.ts"
import { remoteNames } from "../remote/remotes.ts"
import { ConfigFile } from "../repository/Config.ts"
import { fetch } from "./fetch.ts"

export const remote: Command = async (git, args) => {
  const repository = await git.repository()
  const line = git.parse("remote", "v|verbose f t: m: tags no-tags all push add delete", args)
  const local = repository.config.local ?? new ConfigFile(git.system, `${repository.gitdir}/config`)
  const [action, name = "", value] = line.operands
  const names = await remoteNames(repository)
  const requireRemote = (): void => {
    if (!names.includes(name)) throw new GitError(2, `error: No such remote '${name}'`)
  }
  switch (action) {
    case undefined:
      for (const each of names) {
        if (!line.has("v")) {
          git.printLine(each)
          continue
        }
        const url = await repository.config.get(`remote.${each}.url`)
        git.print(
          `${each}\t${url} (fetch)\n${each}\t${await repository.config.get(`remote.${each}.pushurl`) ?? url} (push)\n`,
        )
      }
      return
    case "add":
      if (value === undefined) throw new GitError(129, "usage: git remote add [<options>] <name> <url>")
      line.refuse("t m", "leave it out")
      if (names.includes(name)) throw new GitError(3, `error: remote ${name} already exists.`)
      if (/[\s~^:?*[\\]|^-|\.\./.test(name)) return fatal(`'${name}' is not a valid remote name`)
      await local.set(`remote.${name}.url`, "url", value)
      await local.set(`remote.${name}.fetch`, "fetch", `+refs/heads/*:refs/remotes/${name}/*`)
      if (line.has("f")) await fetch(git, [name])
      return
    case "remove":
    case "rm":
      requireRemote()
      await local.removeSection(`remote.${name}`)
      for (const [ref] of await repository.refs.list(`refs/remotes/${name}/`)) await repository.refs.delete(ref)
      for (const [key, each] of await repository.config.list()) {
        const [, branch] = /^branch\.(.*)\.remote$/.exec(key) ?? []
        if (branch !== undefined && each === name) {
          await local.unset(`branch.${branch}.remote`, true)
          await local.unset(`branch.${branch}.merge`, true)
        }
      }
      return
    case "rename": {
      requireRemote()
      if (value === undefined) throw new GitError(129, "usage: git remote rename <old> <new>")
      if (names.includes(value)) throw new GitError(3, `error: remote ${value} already exists.`)
      await local.renameSection(`remote.${name}`, `remote.${value}`)
      await local.unset(`remote.${value}.fetch`, true)
      await local.set(`remote.${value}.fetch`, "fetch", `+refs/heads/*:refs/remotes/${value}/*`)
      for (const [ref, oid] of await repository.refs.list(`refs/remotes/${name}/`)) {
        await repository.refs.update(`refs/remotes/${value}/${ref.split("/").slice(3).join("/")}`, oid)
        await repository.refs.delete(ref)
      }
      return
    }
    case "get-url":
      requireRemote()
      return git.printLine(
        (line.has("push") ? await repository.config.get(`remote.${name}.pushurl`) : undefined) ??
          await repository.config.get(`remote.${name}.url`) ?? "",
      )
    case "set-url":
      requireRemote()
      if (line.has("add") || line.has("delete")) unsupported("several addresses of a remote", "set one")
      return local.set(
        `remote.${name}.${line.has("push") ? "pushurl" : "url"}`,
        line.has("push") ? "pushurl" : "url",
        value ?? "",
      )
    case "prune":
      requireRemote()
      await fetch(git, ["-p", name])
      return
  }
  return unsupported(`git remote ${action}`, "use add, remove, rename, get-url or set-url")
}
