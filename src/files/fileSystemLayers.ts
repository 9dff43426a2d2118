/** The layers of the FileSystem branch. Its client and its replay need capabilities, and are made elsewhere. */
import { type ServiceLayers, serviceLayers } from "../branch/serviceLayers.ts"
import { Files } from "./Files.ts"
import { FileSystemBranch } from "./FileSystemBranch.ts"

export const fileSystemLayers: Pick<ServiceLayers<Files>, "daemon" | "daemonWith" | "journaled"> =
  /* @__PURE__ */ serviceLayers(
    FileSystemBranch,
    Files,
  )
