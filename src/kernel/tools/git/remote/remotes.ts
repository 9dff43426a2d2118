/** Names, addresses and headers of remotes, by the configuration. */
import { fatal, unsupported } from "../GitError.ts"
import type { Repository } from "../repository/Repository.ts"

/** Refuses addresses that are not HTTP: there are no other transports. */
export const requireHttp = (url: string): string => {
  if (/^https?:\/\//.test(url)) return url
  if (/^(?:ssh|git):\/\/|^[\w.-]+@[\w.-]+:/.test(url)) return unsupported(`the transport of '${url}'`, "use https")
  return /^\w[\w+.-]*::|^ext:/.test(url)
    ? unsupported(`the transport of '${url}'`, "use https")
    : unsupported(`a repository at a path ('${url}')`, "copy it by cp -r, or use https")
}

/** Headers that the configuration sets for requests of a remote. */
export const headersOf = async (repository: Repository, url: string): Promise<Record<string, string>> => {
  const keys = ["http.extraheader", `http.${url}.extraheader`, `http.${new URL(url).origin}/.extraheader`]
  const headers: Record<string, string> = {}
  for (const key of keys) {
    for (const text of await repository.config.all(key)) {
      const [, name, value = ""] = /^([^:]+):\s*(.*)$/.exec(text) ?? []
      if (name !== undefined) headers[name] = value
    }
  }
  return headers
}

export const remoteUrl = async (repository: Repository, remote: string, push = false): Promise<string> => {
  const url = (push ? await repository.config.get(`remote.${remote}.pushurl`) : undefined) ??
    await repository.config.get(`remote.${remote}.url`)
  if (url !== undefined) return requireHttp(url)
  if (/^https?:\/\//.test(remote)) return remote
  return fatal(
    `'${remote}' does not appear to be a git repository\nfatal: Could not read from remote repository.\n\nPlease make sure you have the correct access rights\nand the repository exists.`,
  )
}

export const withoutSlash = (url: string): string => url.replace(/\/+$/, "")

export const defaultRemote = async (repository: Repository): Promise<string> => {
  const branch = await repository.branch()
  return (branch === undefined ? undefined : await repository.config.get(`branch.${branch}.remote`)) ?? "origin"
}

export const remoteNames = async (repository: Repository): Promise<ReadonlyArray<string>> => {
  const keys = (await repository.config.list()).flatMap(([key]) => /^remote\.(.*)\.url$/.exec(key)?.[1] ?? [])
  return [...new Set(keys)].sort()
}
