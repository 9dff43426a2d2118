/** Declares the options of the remote file system. */
import type { DurationInput } from "../../base/duration.ts"
import { clientOptionNames, type RemoteClientOptions } from "../../client/RemoteClientOptions.ts"
import type { FilesCapabilities } from "../../files/FilesService.ts"

/**
 * Options of the remote file system: those of its HTTP client, and two of its own.
 *
 * @stability experimental
 */
export interface RemoteFileSystemOptions extends RemoteClientOptions {
  /** Time for which a request is repeated, and a broken transfer resumed, before it fails. Default: 30 s. */
  readonly reconnectTimeout?: DurationInput | undefined
  /** Capabilities of the server's leaf, as far as they are known. */
  readonly capabilities?: Partial<FilesCapabilities> | undefined
}

export const fileSystemOptionNames: Readonly<Record<keyof RemoteFileSystemOptions, true>> = {
  ...clientOptionNames,
  reconnectTimeout: true,
  capabilities: true,
}
