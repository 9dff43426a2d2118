/** Loads the utilities of archives when they are first run, so that a script without them does not load them. */
import type { Program } from "../System.ts"

/** `gzip [-cdfklnNqrtv1-9] [-S SUFFIX] [FILE]...`: compresses or decompresses files. Source: gzip(1). */
export const gzip: Program = async (system) => (await import("./archives/gzip.ts")).gzip(system)

/** `gunzip [OPTION]... [FILE]...`: `gzip -d`. Source: gunzip(1). */
export const gunzip: Program = async (system) => (await import("./archives/gzip.ts")).gunzip(system)

/** `zcat [OPTION]... [FILE]...`: `gzip -cd`. Source: zcat(1). */
export const zcat: Program = async (system) => (await import("./archives/gzip.ts")).zcat(system)

/** `bzip2 -d [-cfktqv] [FILE]...`: decompresses files. Source: bzip2(1). */
export const bzip2: Program = async (system) => (await import("./archives/decompress.ts")).bzip2(system)

/** `bunzip2 [-cfktqv] [FILE]...`: `bzip2 -d`. Source: bzip2(1). */
export const bunzip2: Program = async (system) => (await import("./archives/decompress.ts")).bunzip2(system)

/** `bzcat [FILE]...`: `bzip2 -cd`. Source: bzip2(1). */
export const bzcat: Program = async (system) => (await import("./archives/decompress.ts")).bzcat(system)

/** `xz -d [-cfktqv] [FILE]...`: decompresses files. Source: xz(1). */
export const xz: Program = async (system) => (await import("./archives/decompress.ts")).xz(system)

/** `unxz [-cfktqv] [FILE]...`: `xz -d`. Source: xz(1). */
export const unxz: Program = async (system) => (await import("./archives/decompress.ts")).unxz(system)

/** `xzcat [FILE]...`: `xz -cd`. Source: xz(1). */
export const xzcat: Program = async (system) => (await import("./archives/decompress.ts")).xzcat(system)

/** `zgrep [OPTION]... PATTERNS [FILE]...`: `grep` in compressed and other files. Source: zgrep(1). */
export const zgrep: Program = async (system) => (await import("./archives/zgrep.ts")).zgrep(system)

/**
 * `tar -c | -x | -t | -r [-f ARCHIVE] [-z] [-C DIRECTORY] [OPTION]... [FILE]...`: packs and unpacks files. Source:
 * tar(1).
 */
export const tar: Program = async (system) => (await import("./archives/tar.ts")).tar(system)

/** `unzip [-lvtpqonjZ1] [-d DIRECTORY] ARCHIVE [NAME]... [-x NAME...]`: unpacks zip archives. Source: unzip(1). */
export const unzip: Program = async (system) => (await import("./archives/unzip.ts")).unzip(system)

/** `zip [-drjqmyXD0-9] ARCHIVE FILE... [-x NAME...] [-i NAME...]`: packs files into a zip archive. Source: zip(1). */
export const zip: Program = async (system) => (await import("./archives/zip.ts")).zip(system)
