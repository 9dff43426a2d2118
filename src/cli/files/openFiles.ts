/** Opens the files that the flags of `sluice files` name: below a folder of this machine, or of a server. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Redacted from "effect/Redacted"
import { quote } from "../../base/quote.ts"
import type { OptionError } from "../../base/OptionError.ts"
import type { Files } from "../../files/Files.ts"
import type { CliProcess } from "../CliProcess.ts"
import { serverToken } from "../serverTokenFlags.ts"
import { UsageError } from "../UsageError.ts"
import type { SharedFlags } from "./filesSpec.ts"

// Each leaf is loaded on demand: a command line needs one of them, and a shell only to search.
const local = (rootPath: string, needsSearch: boolean): Effect.Effect<Layer.Layer<Files, OptionError>> =>
  Effect.promise(async () => {
    const { layer, layerWithRipgrep } = await import("../../leaves/files/LocalFileSystem.ts")
    if (!needsSearch) return layer({ rootPath })
    const { LocalShell } = await import("../../leaves/local/LocalShell.ts")
    return Layer.provide(layerWithRipgrep({ rootPath }), LocalShell.layer)
  })

const remote = (
  url: string,
  token: Redacted.Redacted<string> | undefined,
): Effect.Effect<Layer.Layer<Files, OptionError>> =>
  Effect.promise(async () => {
    const { layer } = await import("../../leaves/remote/RemoteFileSystem.ts")
    return layer({
      url,
      token,
      // A wrong address is reported soon.
      reconnectTimeout: "5 seconds",
    })
  })

export const openFiles = (
  { root, url, ...token }: SharedFlags,
  cli: CliProcess,
  needsSearch: boolean,
): Effect.Effect<Layer.Layer<Files, OptionError>, UsageError> => {
  if (url === undefined) return local(root ?? ".", needsSearch)
  if (root !== undefined) return Effect.fail(new UsageError("--root and --url are mutually exclusive"))
  if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol)) {
    return Effect.fail(new UsageError(`--url: ${quote(url)} is not a URL of a server; write http://127.0.0.1:8787`))
  }
  return Effect.flatMap(serverToken(token, cli), (token) => remote(url, token))
}
