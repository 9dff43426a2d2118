/** Reads the remote leaf's options from Effect's `Config`: environment variables, or any other provider. */
import * as Config from "effect/Config"
import * as Option from "effect/Option"
import type { RemoteShellOptions } from "./RemoteShellOptions.ts"

/** Options of the remote leaf: `SLUICE_URL`, and `SLUICE_TOKEN` if it is set. */
export const remoteConfig: Config.Config<RemoteShellOptions> = Config.all({
  url: Config.String("SLUICE_URL"),
  token: Config.map(Config.option(Config.Redacted("SLUICE_TOKEN")), Option.getOrUndefined),
})
