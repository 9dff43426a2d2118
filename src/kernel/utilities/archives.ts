/** Loads the utilities of archives when they are first run: a script without them need not have them. */
import type { Program } from "../System.ts"

/** `gzip [-cdfklnNqrtv1-9] [-S SUFFIX] [FILE]...`: compresses or decompresses files. Source: gzip(1). */
export const gzip: Program = async (system) => (await import("./archive/gzip.ts")).gzip(system)

/** `gunzip [OPTION]... [FILE]...`: `gzip -d`. Source: gunzip(1). */
export const gunzip: Program = async (system) => (await import("./archive/gzip.ts")).gunzip(system)

/** `zcat [OPTION]... [FILE]...`: `gzip -cd`. Source: zcat(1). */
export const zcat: Program = async (system) => (await import("./archive/gzip.ts")).zcat(system)
