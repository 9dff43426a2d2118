/** Compares `iconv` and `fmt` with the programs of Debian. */
import { compare } from "./support.ts"

const bytes = (text: string) => `printf '${text}'`

compare("iconv converts between encodings", [
  ...[
    "LATIN1",
    "ISO-8859-15",
    "UTF-16LE",
    "UTF-16BE",
    "UTF-16",
    "UTF-32",
    "UTF-32BE",
    "UCS-4",
    "CP1252",
    "KOI8-R//IGNORE",
    "ASCII//TRANSLIT",
  ].map((to) => `${bytes("caf\\303\\251 \\303\\251\\n")} | iconv -f UTF-8 -t ${to} | od -An -tx1`),
  ...["LATIN1", "CP1252", "UTF-16", "UTF-16BE", "KOI8-R", "ISO-8859-5", "CP866"].map((from) =>
    `${bytes("A\\001\\344b")} | iconv -f ${from} | od -An -tx1`
  ),
  `${bytes("\\376\\377\\000A\\000B")} | iconv -f UTF-16 -t UTF-8`,
  `${bytes("\\377\\376A\\000B\\000")} | iconv -f UTF-16 -t UTF-8`,
  `${bytes("\\330\\074\\337\\211")} | iconv -f UTF-16BE -t UTF-8 | od -An -tx1`,
  `${bytes("\\202\\240\\202\\242")} | iconv -f SHIFT_JIS -t UTF-8 | od -An -tx1`,
  `${bytes("\\304\\343\\272\\303")} | iconv -f GBK -t UTF-8 | od -An -tx1`,
  `${bytes("ab\\377cd")} | iconv -f UTF-8 -t LATIN1`,
  `${bytes("ab\\377cd")} | iconv -c -f UTF-8 -t LATIN1`,
  `${bytes("a\\342\\202\\254b")} | iconv -f UTF-8 -t LATIN1`,
  `${bytes("a\\342\\202\\254b")} | iconv -c -f UTF-8 -t LATIN1`,
  `${
    bytes("a\\342\\202\\254b\\342\\200\\234q\\342\\200\\235\\342\\200\\246\\342\\200\\223")
  } | iconv -f UTF-8 -t LATIN1//TRANSLIT`,
  `${bytes("ab\\303")} | iconv -f UTF-8 -t UTF-16LE | od -An -tx1`,
  `${bytes("abc")} | iconv -f no-such -t UTF-8`,
  `${bytes("abc")} | iconv -f UTF-8 -t no-such`,
  `${bytes("caf\\303\\251")} > u; iconv -f utf8 -t latin1 -o l u u; od -An -tx1 l; iconv -f LATIN1 l; iconv no-such`,
  "seq 30000 | iconv -t UTF-16LE | iconv -f UTF-16LE | md5sum",
], { shell: true, needs: ["iconv"] })

const text = "The quick brown fox jumps over the lazy dog. It was (as we know) not amused!  So it goes, on and on: " +
  "again and again, until somebody says ``stop''. Then there is a pause... and it starts once more."

compare("fmt fills paragraphs", [
  ...["", "-w 40", "-40", "-w 20", "-g 30 -w 40", "-g 40", "-u", "-s -w 30", "-t -w 40", "-c -w 40", "-w 10", "-w 2500"]
    .map((options) => `echo '${text}' | fmt ${options}`),
  ...["", "-w 40", "-s -w 40", "-u -w 40", "-c -w 40", "-t -w 40", "-p '# ' -w 40", "-p '#' -w 40", "-p '  //' -w 30"]
    .map((options) =>
      `printf '  Indented first line of a paragraph.\\nThe others are not, and go on\\nfor a while.\\n\\n\\n   \\n\\tA tab starts\\n\\tthis one, with\\ta tab inside.\\n# a comment that is  long enough to be folded somewhere\\n# and another\\n#\\n#  deeper one\\n  // like code of a language\\n  // with two lines\\nend' | fmt ${options}`
    ),
  "seq 3000 | fmt | md5sum",
  "seq 3000 | tr '\\n' ' ' | fmt -w 60 | md5sum",
  `for i in 1 2 3 4 5 6 7 8 9; do echo '${text}'; done | fmt -w 50`,
  "fmt -w 9999; echo x | fmt -w x; fmt no-such-file; echo $?",
], { shell: true, needs: ["fmt"] })
