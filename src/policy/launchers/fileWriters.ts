/**
 * Lists the programs that write files whose content a caller can choose, with the option or sign that makes them write, and
 * looks one up by its name. A row is a claim about some names, which `tests/policy/risks.test.ts` tests.
 */
export interface Writer {
  readonly names: ReadonlyArray<string>
  readonly by: string
  /** A call that writes to the file `out`; the file `in` is there. */
  readonly example: string
}

const row = (names: string, by: string, example: string): Writer => ({ names: names.split(" "), by, example })

export const writers: ReadonlyArray<Writer> = [
  row("find", "-fprintf", "find . -maxdepth 0 -fprintf out x"),
  row("sed gsed", "-i", "sed -i s/^/x/ out"),
  row("tar bsdtar gtar", "-x", "tar -xf archive.tar"),
  row("git", "apply", "git apply patch"),
  row("patch", "", "patch -i patch"),
  row("cp gcp", "", "cp in out"),
  row("mv gmv", "", "mv in out"),
  row("ln gln", "", "ln -f in out"),
  row("tee gtee sponge", "", "tee out"),
  row("dd gdd", "of=", "dd if=in of=out"),
  row("install ginstall", "", "install in out"),
  row("rsync", "", "rsync in out"),
  row("scp", "", "scp in out"),
  row("sort gsort", "-o", "sort -o out in"),
  row("uniq guniq", "", "uniq in out"),
  row("shuf gshuf", "-o", "shuf -o out in"),
  row("split csplit gsplit gcsplit", "", "split in out"),
  row("curl", "-o", "curl -s -o out file:///DIRECTORY/in"),
  row("wget", "-O", "wget -O out http://host/in"),
  row("gzip gunzip bzip2 bunzip2 xz unxz zstd unzstd lz4", "-d", "gzip -d out.gz"),
  row("unzip 7z 7za 7zz", "", "unzip archive.zip"),
  row("cpio", "-i", "cpio -i"),
  row("ar ranlib", "x", "ar x archive.a"),
  row("openssl", "-out", "openssl base64 -in in -out out"),
  row("gpg gpg2 gpgsm", "-o", "gpg -o out --enarmor in"),
  row("pandoc", "-o", "pandoc -o out in"),
  row("iconv", "-o", "iconv -o out in"),
  row("xxd", "", "xxd in out"),
  row("yq", "-i", "yq -i .x=1 out"),
  row("busybox toybox", "cp", "busybox cp in out"),
]

const byName: ReadonlyMap<string, string> = new Map(
  writers.flatMap(({ by, names }) => names.map((name) => [name, by] as const)),
)

/** Describes how a program writes files, beginning with its name; `undefined` if it is not in the table. */
export const findWriter = (name: string): string | undefined => {
  const by = byName.get(name)
  return by === undefined ? undefined : by === "" ? name : `${name} ${by}`
}
