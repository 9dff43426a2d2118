/** Lists the references of a remote, and reports failures of its server as git does. */
import { fatal } from "../GitError.ts"
import type { Session } from "../Session.ts"
import { quotePath } from "../quotePath.ts"
import { isRefName } from "../repository/Refs.ts"
import type { Repository } from "../repository/Repository.ts"
import { loadGit } from "../repository/loadGit.ts"
import { gitHttp } from "./gitHttp.ts"
import { withoutSlash } from "./remotes.ts"

/** Errors of isomorphic-git as git's. */
export const rethrowAsGit = (cause: unknown, url: string): never => {
  if (cause instanceof Error && "code" in cause && typeof cause.code === "string") {
    const data: unknown = "data" in cause ? cause.data : undefined
    const status = typeof data === "object" && data !== null && "statusCode" in data
      ? Number(data.statusCode)
      : undefined
    if (cause.code === "HttpError" && status === 401) {
      return fatal(`could not read Username for '${new URL(url).origin}': terminal prompts disabled`)
    }
    if (cause.code === "HttpError" && status === 404) return fatal(`repository '${url}/' not found`)
    if (cause.code === "HttpError") {
      return fatal(`unable to access '${url}/': The requested URL returned error: ${status}`)
    }
    if (cause.code === "SmartHttpError") return fatal(`repository '${url}' does not speak git's smart HTTP`)
    if (cause.code === "NotFoundError") {
      return fatal(`couldn't find remote ref ${String(cause.message).replace(/^Could not find "?|"?\.$/g, "")}`)
    }
    return fatal(cause.message)
  }
  throw cause
}

export interface RemoteRefs {
  /** References of the remote. */
  readonly refs: ReadonlyMap<string, string>
  readonly head: string | undefined
}

/** Lists the references of a remote. */
export const listRemote = async (
  git: Session,
  repository: Repository | undefined,
  url: string,
  headers: Record<string, string>,
): Promise<RemoteRefs> => {
  const { listServerRefs } = await (repository?.objects.library() ?? loadGit())
  try {
    const found = await listServerRefs({
      http: gitHttp(git.system),
      url: withoutSlash(url),
      headers: { ...headers },
      symrefs: true,
      protocolVersion: 1,
    })
    const odd = found.find(({ ref }) => !isRefName(ref.replace(/\^\{\}$/, "")))
    if (odd !== undefined) {
      return fatal(`the server has a reference with the name ${quotePath(odd.ref)}, which is not valid`)
    }
    const head = found.find(({ ref }) => ref === "HEAD")
    return { refs: new Map(found.map(({ oid, ref }) => [ref, oid])), head: head?.target }
  } catch (cause) {
    return rethrowAsGit(cause, withoutSlash(url))
  }
}
