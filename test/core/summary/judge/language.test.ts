import { describe, expect, it } from "vitest";
import { foreignLanguage } from "../../../../src/core/summary/judge/language.ts";
import { ledger } from "../build-ledger.ts";

/** What notes on the same work look like, in a few lines each. */
const NOTES = {
  English: `- The parser is read by the loader, and the cache in \`src/cache.ts\` was the cause of the slow start.
- The tests for the loader were run after each change and all of them have passed.
- The user asked for a smaller index, which is not done yet because it needs the new format.`,
  German: `- Der Parser wird vom Loader gelesen, und der Cache in \`src/cache.ts\` war die Ursache für den langsamen Start.
- Die Tests für den Loader wurden nach jeder Änderung ausgeführt und sind alle erfolgreich.
- Der Benutzer wünscht einen kleineren Index, das ist noch nicht erledigt, weil es auf dem neuen Format aufbaut.`,
  French: `- L'analyseur est lu par le chargeur, et le cache dans \`src/cache.ts\` est la cause du démarrage lent.
- Les tests du chargeur ont été lancés après chaque changement et ils sont tous passés.
- Une version plus petite de l'index est demandée, ce n'est pas fait, il faut le nouveau format pour cela.`,
  Spanish: `- El analizador lo lee el cargador, y la caché en \`src/cache.ts\` era la causa del arranque lento.
- Las pruebas del cargador se ejecutaron después de cada cambio y todas han pasado.
- Se pidió un índice más pequeño para la búsqueda, que no está hecho porque depende del nuevo formato.`,
  Portuguese: `- O analisador é lido pelo carregador, e a cache em \`src/cache.ts\` foi a causa do arranque lento.
- Os testes do carregador foram executados após cada mudança e todos passaram, não há mais erros.
- Foi pedido um índice menor para a busca, que ainda não está feito porque depende do novo formato.`,
  Italian: `- Il parser è letto dal caricatore, e la cache in \`src/cache.ts\` era la causa della partenza lenta.
- Le prove del caricatore sono state eseguite dopo ogni modifica e sono tutte passate.
- Un indice più piccolo è richiesto per la ricerca, non è ancora fatto perché dipende dal nuovo formato che manca.`,
  Dutch: `- De parser wordt door de loader gelezen, en de cache in \`src/cache.ts\` was de oorzaak van de trage start.
- De tests voor de loader zijn na elke wijziging uitgevoerd en ze zijn allemaal geslaagd.
- Er is om een kleinere index gevraagd, dat is nog niet klaar omdat het van het nieuwe formaat afhangt.`,
} as const;

type Language = keyof typeof NOTES;

const LANGUAGES = Object.keys(NOTES) as Language[];
const FOREIGN = LANGUAGES.filter((language) => language !== "English");

function summary(language: Language): string {
  return `## Goal\n${NOTES[language]}\n\n## Relevant files\n- \`src/cache.ts\``;
}

describe("the language of a summary", () => {
  it.each(FOREIGN)("is wrong where nobody writes it: %s for English", (language) => {
    const english = ledger({ instructions: [NOTES.English] });
    expect(foreignLanguage(summary(language), english)).toBe(language);
  });

  it.each(LANGUAGES)("is never wrong where the user or the agent writes it: %s", (language) => {
    const text = summary(language);
    expect(foreignLanguage(text, ledger({ instructions: [NOTES[language]] }))).toBeUndefined();
    const agent = ledger({ instructions: [NOTES.English], statements: [NOTES[language]] });
    expect(foreignLanguage(text, agent)).toBeUndefined();
  });

  it.each(LANGUAGES)("is never wrong when it is English: for %s", (language) => {
    const said = ledger({ instructions: [NOTES[language]] });
    expect(foreignLanguage(summary("English"), said)).toBeUndefined();
  });

  it("is not wrong where the user writes little in it and the agent much in English", () => {
    const statements = Array.from({ length: 50 }, (_, at) => `${at}: ${NOTES.English}`);
    const german = ledger({ instructions: ["Mach mit dem Parser weiter."], statements });
    expect(foreignLanguage(summary("German"), german)).toBeUndefined();
    const chinese = ledger({ instructions: ["请继续编写解析器。"], statements });
    const text = "项目目标是编写一个解析器并且通过所有测试用例。".repeat(5);
    expect(foreignLanguage(text, chinese)).toBeUndefined();
    expect(foreignLanguage(text, ledger({ statements }))).toBe("Han script");
  });

  it("is not told from a few words, nor for people whose language is not known", () => {
    const english = ledger({ instructions: [NOTES.English] });
    expect(
      foreignLanguage("- Der Parser ist fertig und das Format auch.", english),
    ).toBeUndefined();
    expect(foreignLanguage(summary("German"), ledger({ instructions: ["go on"] }))).toBeUndefined();
    const code = ledger({ instructions: ["const x = f(y);\n".repeat(60)] });
    expect(foreignLanguage(summary("German"), code)).toBeUndefined();
  });

  it("is not wrong where English has a part in it", () => {
    const english = ledger({ instructions: [NOTES.English] });
    const both = `${summary("English")}\n\nThe user wants this text on the page:\n${NOTES.German}`;
    expect(foreignLanguage(both, english)).toBeUndefined();
  });
});
