/** Implements `path_open`, which refuses rights and flags that the folder of the path does not pass on. */
import { Errno } from "../Errno.ts"
import { FileFlag } from "../OpenFile.ts"
import { parseLookupFlags, resolutionOf, type WasiInstance } from "./WasiInstance.ts"
import { allRights, Right } from "./Rights.ts"
import type { WasiFunctions } from "./WasiFunctions.ts"
import { Descriptor } from "./WasiProcess.ts"

const How = { create: 1, directory: 2, exclusive: 4, truncate: 8 } as const
const allHow = 15
const allFlags = 31

const readingRights = Right.fd_read | Right.fd_readdir
const writingRights = Right.fd_write | Right.fd_datasync | Right.fd_allocate | Right.fd_filestat_set_size

/** Drops bits that are no rights: programs request every right with all bits set. */
const knownRights = (rights: bigint): number => Number(BigInt.asUintN(32, rights)) & allRights

export const openFunctions = (host: WasiInstance): Pick<WasiFunctions, "path_open"> => {
  const { heap, process } = host
  return {
    path_open: (fd, lookupFlags, path, length, how, base, inheriting, flags, out) => {
      const follow = parseLookupFlags(lookupFlags)
      if (follow === undefined || (how & ~allHow) !== 0 || (flags & ~allFlags) !== 0) return Errno.EINVAL
      const creates = (how & How.create) !== 0
      const truncates = (how & How.truncate) !== 0
      if (creates && (how & How.directory) !== 0) return Errno.EINVAL
      const place = host.place(
        fd,
        Right.path_open | (creates ? Right.path_create_file : 0) | (truncates ? Right.path_filestat_set_size : 0),
        path,
        length,
        creates,
      )
      if (typeof place === "number") return -place
      const rights = knownRights(base)
      const inherited = knownRights(inheriting)
      // The folder limits the rights that can be requested, and the flags that need a right.
      const needed = rights | inherited | ((flags & FileFlag.dsync) !== 0 ? Right.fd_datasync : 0) |
        ((flags & (FileFlag.sync | FileFlag.rsync)) !== 0 ? Right.fd_sync : 0)
      if ((needed & ~(process.descriptor(fd)?.inheriting ?? 0)) !== 0) return Errno.ENOTCAPABLE
      if (!heap.fits(out, 4)) return Errno.EFAULT
      const writes = truncates || (rights & writingRights) !== 0
      const file = process.files.open(place.folder, place.path, {
        ...resolutionOf(place, follow),
        read: (rights & readingRights) !== 0,
        write: writes,
        create: creates,
        exclusive: (how & How.exclusive) !== 0,
        truncate: truncates,
        directory: (how & How.directory) !== 0,
        flags,
        mode: 0o666 & ~process.umask(),
      })
      if (typeof file === "number") return -file
      const opened = writes && file.directory !== undefined
        ? -Errno.EISDIR
        : process.addDescriptor(new Descriptor(file, rights, inherited, undefined, undefined, place.linkRoot))
      if (opened < 0) {
        file.release()
        return -opened
      }
      heap.setU32(out, opened)
      return Errno.SUCCESS
    },
  }
}
