/** Small texts of each kind, written for these tests, to check the estimator's error on. */

function repeated(count: number, line: (index: number) => string): string {
  return Array.from({ length: count }, (_, i) => line(i)).join("\n");
}

/** The same numbers in every run, without sense: a linear congruential generator. */
function numbers(count: number, limit: number): readonly number[] {
  let state = 12_345;
  return Array.from({ length: count }, () => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    return (state >>> 8) % limit;
  });
}

function drawn(alphabet: string, count: number): string {
  return numbers(count, alphabet.length)
    .map((index) => alphabet[index])
    .join("");
}

const HEX = "0123456789abcdef";
const BASE64 = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

const typescript = `import { readFile } from "node:fs/promises";

interface Job {
  readonly id: string;
  readonly attempts: number;
  readonly payload: Record<string, unknown>;
}

/** Runs jobs one after the other and retries the ones that fail. */
export async function runJobs(jobs: readonly Job[], limit = 3): Promise<string[]> {
  const failed: string[] = [];
  for (const job of jobs) {
    try {
      await handle(job.payload);
    } catch (error) {
      if (job.attempts + 1 >= limit) failed.push(job.id);
      else console.warn(\`job \${job.id} failed, trying again\`, error);
    }
  }
  return failed;
}
`;

const english = `The harbour was quiet when the first boats came back. Most of the crew had been
awake since midnight, and nobody wanted to talk about the weather any more. They unloaded the boxes,
counted them twice, and signed the papers that the old clerk pushed across the table without looking
up. By noon the market had sold almost everything, apart from a few baskets of mussels which the
restaurant on the corner bought every Thursday, whether its guests asked for them or not.`;

export const TEXTS: Readonly<Record<string, string>> = {
  english,
  typescript,
  markdown: `# Release notes

## Added

- **Archives** can be listed with \`archive list\`, newest first.
- A \`--quiet\` option for every command; see [the manual](docs/cli.md#quiet).

## Fixed

1. The progress bar no longer jumps back when a download restarts.
2. Paths with spaces work on Windows too.

> Note: the old configuration file is still read, but a warning is printed.

| option | default | meaning |
| --- | --- | --- |
| \`retries\` | 3 | how often a request is sent again |
| \`timeout\` | 30 s | when a request is given up |
`,
  python: `from dataclasses import dataclass, field


@dataclass
class Account:
    owner: str
    balance: float = 0.0
    history: list[str] = field(default_factory=list)

    def deposit(self, amount: float) -> None:
        """Adds money; negative amounts are refused."""
        if amount <= 0:
            raise ValueError(f"amount must be positive, got {amount!r}")
        self.balance += amount
        self.history.append(f"deposit {amount:.2f}")


def total(accounts: list[Account]) -> float:
    return sum(account.balance for account in accounts if account.history)
`,
  log: repeated(12, (i) => {
    const ms = 17 * i + 3;
    return `2024-03-0${(i % 9) + 1}T10:2${i % 6}:13.${100 + ms}Z [INFO] http.server: GET /api/v1/orders/${4000 + ms} 200 ${ms}ms from 10.0.${i}.${ms % 256}`;
  }),
  json: JSON.stringify(
    Array.from({ length: 6 }, (_, i) => ({
      id: 1_000 + i,
      name: `customer-${i}`,
      active: i % 2 === 0,
      address: { street: "Main Street", number: i * 7, city: "Springfield" },
      tags: ["new", "europe", "newsletter"],
    })),
    null,
    2,
  ),
  jsonCompact: JSON.stringify(
    Array.from({ length: 10 }, (_, i) => ({
      id: i,
      user: `user${i}@mail.test`,
      score: i * 3.5,
      ok: true,
    })),
  ),
  chat: JSON.stringify({
    role: "user",
    content: [{ type: "tool_result", tool_use_id: "toolu_01", content: typescript }],
  }),
  minified: `function a(t,e){for(var n=0;n<t.length;n++)if(e(t[n],n))return n;return-1}var r=Object.prototype.hasOwnProperty;function i(t){return null==t?[]:Object.keys(t).map(function(e){return t[e]})}!function(t,e){"object"==typeof exports?module.exports=e():t.lib=e()}(this,function(){"use strict";var t={};return t.find=a,t.values=i,t.has=function(t,e){return r.call(t,e)},t});`,
  numberedRead: typescript
    .split("\n")
    .map((line, i) => `${String(i + 860).padStart(6)}→${line.replace("  ", "\t")}`)
    .join("\n"),
  repositoryMap: repeated(8, (i) => {
    const name = ["parser", "reader", "writer", "session"][i % 4];
    return `src/${name}_${i}.py:\n⋮...\n│class ${name}:\n⋮...\n│    def close(self, wait=True):\n⋮...\n`;
  }),
  tree: repeated(12, (i) => `│   ${i % 3 === 0 ? "└──" : "├──"} module-${i}.test.ts`),
  boxes: `╭${"─".repeat(44)}╮\n${repeated(6, (i) => `│ ${"✓✗●"[i % 3]} check number ${i} took ${i * 7} ms`.padEnd(45) + "│")}\n╰${"─".repeat(44)}╯`,
  spinners: repeated(
    10,
    (i) => `${"⠋⠙⠹⠸⠼"[i % 5]} Reading files… (${i}s · esc to stop)\n  ⎿  Read ${i * 31} lines`,
  ),
  emoji: repeated(
    8,
    (i) => `${["✅", "🚀", "📝", "⚠️"][i % 4]} Step ${i}: the build “passed” — it’s fine`,
  ),
  escapedCode: JSON.stringify({ path: "src/jobs.ts", content: typescript.replaceAll("  ", "\t") }),
  french: `Le conseil municipal s'est réuni hier soir pour examiner le projet de rénovation de la gare.
Après de longues discussions, les élus ont décidé de reporter leur décision au mois prochain, car
plusieurs habitants s'inquiètent du coût des travaux et de la disparition des places de stationnement.`,
  german: `Die Bibliothek bleibt während der Sommerferien nur vormittags geöffnet. Wer Bücher zurückgeben
möchte, kann sie jederzeit in den Kasten neben dem Eingang werfen. Für Schülerinnen und Schüler gibt es
außerdem ein kostenloses Programm mit Lesungen, Spielen und einem kleinen Schreibwettbewerb.`,
  vietnamese: `Sáng nay trời mưa to nên nhiều người đi làm muộn. Ở góc phố, bà bán phở vẫn dọn hàng như mọi
ngày, vừa nấu nước dùng vừa trò chuyện với khách quen. Đến trưa, mưa tạnh, đường phố lại đông đúc, trẻ con
chạy ra sân chơi và tiếng cười vang lên khắp nơi trong khu nhà tập thể cũ.`,
  chinese: `今天早上下了一场大雨，很多人上班都迟到了。街角的小店还是和平常一样开门，老板一边煮面，一边和熟悉的客人聊天。
到了中午，雨停了，街上又热闹起来，孩子们跑到院子里玩，笑声传遍了整个小区。如果文件已经存在，程序会先显示提示信息，然后询问是否覆盖。`,
  japanese: `今朝は大雨だったので、多くの人が会社に遅れました。角の小さな店はいつものように開いていて、店主はうどんを作りながら
常連のお客さんと話していました。昼になると雨がやみ、通りはまたにぎやかになりました。ファイルがすでに存在する場合は、上書きするかどうかを確認します。`,
  korean: `오늘 아침에는 비가 많이 와서 많은 사람들이 회사에 늦었습니다. 골목에 있는 작은 가게는 평소처럼 문을 열었고, 주인은
국수를 삶으면서 단골손님과 이야기를 나누었습니다. 점심때가 되자 비가 그치고 거리는 다시 붐비기 시작했습니다. 파일이 이미 있으면 덮어쓸지 묻습니다.`,
  russian: `Сегодня утром шёл сильный дождь, и многие опоздали на работу. Маленькая лавка на углу открылась как
обычно: хозяин варил суп и разговаривал с постоянными покупателями. К полудню дождь прекратился, на улицах снова
стало людно, дети выбежали во двор играть. Если файл уже существует, программа спросит, нужно ли его заменить.`,
  ukrainian: `Сьогодні вранці йшов сильний дощ, і багато людей запізнилися на роботу. Маленька крамниця на розі
відчинилася як завжди: господар варив суп і розмовляв із постійними покупцями. Опівдні дощ ущух, на вулицях знову
стало людно, діти вибігли у двір гратися. Якщо файл уже існує, програма запитає, чи потрібно його замінити.`,
  arabic: `هطل المطر بغزارة هذا الصباح فتأخر كثير من الناس عن العمل. فتح الدكان الصغير في الزاوية أبوابه كالمعتاد، وكان صاحبه
يطبخ الحساء ويتحدث مع الزبائن. عند الظهر توقف المطر وعادت الحركة إلى الشوارع. إذا كان الملف موجودا فسيسأل البرنامج عن استبداله.`,
  greek: `Σήμερα το πρωί έβρεχε πολύ και πολλοί άργησαν στη δουλειά τους. Το μικρό μαγαζί στη γωνία άνοιξε όπως πάντα και
ο ιδιοκτήτης μαγείρευε σούπα συζητώντας με τους πελάτες. Το μεσημέρι η βροχή σταμάτησε και οι δρόμοι γέμισαν πάλι κόσμο.`,
  hebrew: `הבוקר ירד גשם חזק ואנשים רבים איחרו לעבודה. החנות הקטנה בפינה נפתחה כרגיל, ובעל הבית בישל מרק ודיבר עם הלקוחות.
בצהריים הגשם פסק והרחובות שוב התמלאו. אם הקובץ כבר קיים, התוכנית תשאל אם להחליף אותו.`,
  hindi: `आज सुबह बहुत तेज़ बारिश हुई और कई लोग काम पर देर से पहुँचे। कोने की छोटी दुकान हमेशा की तरह खुली थी और मालिक ग्राहकों से
बात करते हुए चाय बना रहा था। दोपहर में बारिश रुक गई और सड़कें फिर से भर गईं। यदि फ़ाइल पहले से मौजूद है तो प्रोग्राम पूछेगा।`,
  thai: `เช้าวันนี้ฝนตกหนักมาก หลายคนจึงไปทำงานสาย ร้านเล็กๆ ที่หัวมุมถนนยังเปิดเหมือนทุกวัน เจ้าของร้านต้มก๋วยเตี๋ยวไปพลางคุยกับลูกค้าประจำ
ตอนเที่ยงฝนหยุด ถนนกลับมาคึกคักอีกครั้ง ถ้าแฟ้มมีอยู่แล้ว โปรแกรมจะถามว่าจะเขียนทับหรือไม่`,
  base64: drawn(BASE64, 2_000),
  hex: drawn(HEX, 2_000),
  uuids: repeated(30, (i) => {
    const digits = drawn(HEX, 32 * (i + 1)).slice(-32);
    return `${digits.slice(0, 8)}-${digits.slice(8, 12)}-${digits.slice(12, 16)}-${digits.slice(16, 20)}-${digits.slice(20)}`;
  }),
  punctuation: drawn("!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~", 2_000),
  rulers: repeated(12, (i) => `${"=".repeat(80)}\nStep ${i + 1} of 12: compile\n${"-".repeat(40)}`),
  spaces: " ".repeat(6_000),
  newlines: "\n".repeat(6_000),
};
