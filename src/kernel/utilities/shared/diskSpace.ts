/** Computes the disk space that a file takes. */
import { FileType, type Stat } from "../../Stat.ts"

const blockBytes = 4_096

/** The space in bytes: the volume's figure, else whole blocks for files, and one for a directory. */
export const diskSpace = ({ blocks, size, type }: Stat): number => {
  if (blocks !== undefined) return blocks * 512
  if (type === FileType.directory) return blockBytes
  return type === FileType.regularFile ? Math.ceil(size / blockBytes) * blockBytes : 0
}
