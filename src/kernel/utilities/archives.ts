/** Loads the utilities of archives when they are first run: a script without them need not have them. */
import type { Program } from "../System.ts"

/** `gzip [-cdfklnNqrtv1-9] [-S SUFFIX] [FILE]...`: compresses or decompresses files. Source: gzip(1). */
export const gzip: Program = async (system) => (await import("./archives/gzip.ts")).gzip(system)

/** `gunzip [OPTION]... [FILE]...`: `gzip -d`. Source: gunzip(1). */
export const gunzip: Program = async (system) => (await import("./archives/gzip.ts")).gunzip(system)

/** `zcat [OPTION]... [FILE]...`: `gzip -cd`. Source: zcat(1). */
export const zcat: Program = async (system) => (await import("./archives/gzip.ts")).zcat(system)

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
