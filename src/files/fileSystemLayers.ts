/** Makes the layers of the FileSystem branch, except its client and its replay, which need capabilities. */
import { type ServiceLayers, serviceLayers } from "../branch/serviceLayers.ts"
import { Files } from "./Files.ts"
import { FileSystemBranch } from "./FileSystemBranch.ts"

export const fileSystemLayers: Pick<ServiceLayers<Files>, "daemon" | "daemonWith" | "journaled"> =
  /* @__PURE__ */ serviceLayers(
    FileSystemBranch,
    Files,
  )
