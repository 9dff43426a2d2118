/** Declares the options of the remote leaf. */
import type { DurationInput } from "../../base/duration.ts"
import { clientOptionNames, type RemoteClientOptions } from "../../client/RemoteClientOptions.ts"
import type { ShellCapabilities } from "../../shell/ShellCapabilities.ts"

/** Options of the remote leaf: those of its HTTP client, and two of its own. */
export interface RemoteShellOptions extends RemoteClientOptions {
  /**
   * Time for which the client tries to reconnect, and for which the server keeps the command without a reader; at most
   * an hour. After that the server ends the command, and the client's fault is `HostLost`. Default: 30 s.
   */
  readonly reconnectTimeout?: DurationInput | undefined
  /** Capabilities of the server's leaf, as far as they are known. Default: back-pressure only. */
  readonly capabilities?: Partial<ShellCapabilities> | undefined
}

export const remoteShellOptionNames: Readonly<Record<keyof RemoteShellOptions, true>> = {
  ...clientOptionNames,
  reconnectTimeout: true,
  capabilities: true,
}
