/** Implements the WASI functions that make, read, change and remove files by path. */
import { encodeUtf8 } from "../../base/bytes.ts"
import { Errno } from "../Errno.ts"
import { writeStat } from "./contents.ts"
import {
  type FolderPath,
  parseLookupFlags,
  parseTimes,
  resolutionOf,
  toErrno,
  type WasiInstance,
} from "./WasiInstance.ts"
import { Right } from "./Rights.ts"
import type { PathFunctions } from "./WasiFunctions.ts"

export const pathFunctions = (host: WasiInstance): PathFunctions => {
  const { heap, process } = host
  const { files } = process

  /** Makes a function of one path whose last component is not followed. */
  const simple = (right: number, call: (place: FolderPath) => number, makes = false) =>
  (
    fd: number,
    path: number,
    length: number,
  ) => {
    const place = host.place(fd, right, path, length, makes)
    return typeof place === "number" ? -place : toErrno(call(place))
  }

  return {
    path_create_directory: simple(
      Right.path_create_directory,
      (place) => files.makeDirectory(place.folder, place.path, 0o777 & ~process.umask(), resolutionOf(place)),
      true,
    ),
    path_filestat_get: (fd, flags, path, length, out) => {
      const follow = parseLookupFlags(flags)
      if (follow === undefined) return Errno.EINVAL
      const place = host.place(fd, Right.path_filestat_get, path, length)
      if (typeof place === "number") return -place
      if (!heap.fits(out, 64)) return Errno.EFAULT
      const stat = files.stat(place.folder, place.path, resolutionOf(place, follow))
      if (typeof stat === "number") return -stat
      writeStat(heap, out, stat)
      return Errno.SUCCESS
    },
    path_filestat_set_times: (fd, flags, path, length, accessed, modified, which) => {
      const follow = parseLookupFlags(flags)
      const times = parseTimes(() => process.now(), accessed, modified, which)
      if (follow === undefined || typeof times === "number") return Errno.EINVAL
      const place = host.place(fd, Right.path_filestat_set_times, path, length)
      if (typeof place === "number") return -place
      return toErrno(files.setTimes(place.folder, place.path, times[0], times[1], resolutionOf(place, follow)))
    },
    path_link: (fd, flags, path, length, toFd, toPath, toLength) => {
      const follow = parseLookupFlags(flags)
      if (follow === undefined) return Errno.EINVAL
      const from = host.place(fd, Right.path_link_source, path, length)
      if (typeof from === "number") return -from
      const to = host.place(toFd, Right.path_link_target, toPath, toLength, true)
      if (typeof to === "number") return -to
      return toErrno(files.link(from.folder, from.path, to.folder, to.path, resolutionOf(from, follow)))
    },
    path_readlink: (fd, path, length, buffer, size, out) => {
      const place = host.place(fd, Right.path_readlink, path, length)
      if (typeof place === "number") return -place
      if (!heap.fits(buffer, size) || !heap.fits(out, 4)) return Errno.EFAULT
      const target = files.readlink(place.folder, place.path, resolutionOf(place))
      if (typeof target === "number") return -target
      const bytes = encodeUtf8(target).subarray(0, size >>> 0)
      heap.range(buffer, bytes.length).set(bytes)
      heap.setU32(out, bytes.length)
      return Errno.SUCCESS
    },
    path_remove_directory: simple(
      Right.path_remove_directory,
      (place) => files.removeDirectory(place.folder, place.path, resolutionOf(place)),
    ),
    path_rename: (fd, path, length, toFd, toPath, toLength) => {
      const from = host.place(fd, Right.path_rename_source, path, length)
      if (typeof from === "number") return -from
      const to = host.place(toFd, Right.path_rename_target, toPath, toLength, true)
      if (typeof to === "number") return -to
      return toErrno(files.rename(from.folder, from.path, to.folder, to.path, resolutionOf(from)))
    },
    path_symlink: (target, targetLength, fd, path, length) => {
      const text = heap.path(target, targetLength)
      if (typeof text === "number") return -text
      // WASI cannot make absolute links. Existing ones are followed within the preopen.
      if (text.startsWith("/")) return Errno.ENOTCAPABLE
      const place = host.place(fd, Right.path_symlink, path, length, true)
      return typeof place === "number"
        ? -place
        : toErrno(files.symlink(text, place.folder, place.path, resolutionOf(place)))
    },
    path_unlink_file: simple(
      Right.path_unlink_file,
      (place) => files.unlink(place.folder, place.path, resolutionOf(place)),
    ),
  }
}
