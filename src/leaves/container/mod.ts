/**
 * Commands and files in containers of podman or docker, as `Shell` and `Files` services.
 *
 * @module
 */
export { Container, type ContainerService } from "./Container.ts"
export * as ContainerFileSystem from "./ContainerFileSystem.ts"
export type { ContainerOptions, EngineOptions, SharedContainerOptions } from "./ContainerOptions.ts"
export type { ContainerLimits, ContainerMount, ContainerTmpfs } from "./ContainerSettings.ts"
export * as ContainerShell from "./ContainerShell.ts"
