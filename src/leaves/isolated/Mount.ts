/** Declares what isolated commands see at each path, and checks whether a path is visible to them. */
import { isWithin } from "../../host/paths.ts"

/** One entry of the file system of isolated commands. A later mount covers earlier ones at and below its path. */
export type Mount =
  /** A file or folder of the host. */
  | { readonly _tag: "ReadOnly"; readonly path: string }
  | { readonly _tag: "Writable"; readonly path: string }
  /** A folder in memory that begins empty, and ends with the command. */
  | { readonly _tag: "Private"; readonly path: string }
  /** A symbolic link of the system, such as `/bin` to `/usr/bin`. */
  | { readonly _tag: "Link"; readonly path: string; readonly target: string }
  /** An empty folder, or an unreadable file, over one of the host. */
  | { readonly _tag: "Hidden"; readonly path: string; readonly directory: boolean }

const depthOf = ({ path }: Mount): number => path === "/" ? 0 : path.split("/").length

/** Sorts mounts so that a folder comes before its content. If two mounts have the same path, only the last one counts. */
export const sortMounts = (mounts: ReadonlyArray<Mount>): ReadonlyArray<Mount> =>
  [...new Map(mounts.map((mount) => [mount.path, mount])).values()].toSorted((a, b) => depthOf(a) - depthOf(b))

/** Whether commands see the host's file at a canonical path. */
export const isVisible = (mounts: ReadonlyArray<Mount>, path: string): boolean => {
  const { _tag } = mounts.findLast((mount) => isWithin(path, mount.path)) ?? {}
  return _tag === "ReadOnly" || _tag === "Writable"
}
