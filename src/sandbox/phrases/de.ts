import type { Phrases } from './topic.ts'

export const german: Phrases = {
  lang: 'de',
  weight: 6,
  topics: [
    {
      keyword: 'typescript',
      weight: 3,
      hashtags: ['webentwicklung', 'programmieren'],
      slots: {
        thing: ['Generics', 'strict', 'die alten Typen', 'der Compiler', 'das Refactoring'],
        ort: ['im Abrechnungsdienst', 'in unserem ältesten Projekt', 'in der App', 'im Build'],
      },
      lines: [
        'Heute TypeScript strict {ort} eingeschaltet: {20-300} Fehler, {2-5} davon echte. Hat sich gelohnt.',
        'Der TypeScript-Compiler hat mir {ort} gerade den Feierabend gerettet.',
        'Drei Stunden gesucht, ein any gefunden. {ort}, wo sonst.',
        'Wer Typen gut benennt, braucht halb so viele Kommentare. Nach {2-9} Jahren TypeScript bin ich sicher.',
        'Umstellung {ort} fertig: {200-900} Zeilen weniger und keiner hat es gemerkt.',
      ],
    },
    {
      keyword: 'kaffee',
      weight: 3,
      hashtags: ['espresso', 'frühstück'],
      slots: {
        thing: ['Filterkaffee', 'die neue Mühle', 'Hafermilch', 'der Espresso vom Eck'],
        ort: ['am Hafen', 'im Speisewagen', 'in der Büroküche', 'bei Oma'],
      },
      lines: [
        'Der beste Kaffee der Stadt steht {ort}, und niemand wird mir etwas anderes erzählen.',
        'Kaffee Nummer {2-5}. Montag, ich bin bereit. Fast.',
        'Kaffee {ort}, Regen am Fenster, {20-80} Seiten gelesen. Mehr brauche ich nicht.',
        'Die Maschine {ort} entkalkt. Schmeckt plötzlich nach Urlaub.',
      ],
    },
    {
      keyword: 'klima',
      weight: 3,
      hashtags: ['energiewende', 'solar'],
      slots: {
        thing: ['Wärmepumpen', 'das Solardach', 'Nachtzüge', 'der neue Radweg'],
        ort: ['in unserer Straße', 'im Tal', 'auf dem Schuldach', 'im Stadtpark'],
      },
      lines: [
        'Das Solardach {ort} hat heute {9-40} kWh gebracht. Die Waschmaschine freut sich.',
        '{30-300} Bäume {ort} gepflanzt. Mein Rücken möchte anonym bleiben.',
        'Klimaschutz {ort}: erst belächelt, jetzt Warteliste mit {20-200} Haushalten.',
        'Die Schwalben waren {4-14} Tage früher da als sonst. Das Klima steht hier im Gartenbuch.',
      ],
    },
  ],
  openers: ['Kurz notiert:', 'Unpopuläre Meinung:', 'Guten Morgen!', 'Merke:', 'Wahre Geschichte.'],
  closers: [
    'Wer noch?',
    'Ich bleibe dabei.',
    'Morgen mehr.',
    'Bilder folgen.',
    'Gern geschehen.',
    'Und bei euch?',
  ],
  replies: [
    'Genau so. Thema {thing}: hat uns auch Jahre gekostet.',
    'Da bin ich anderer Meinung. {^thing}? Bei uns kein Problem.',
    'Danke, das kommt in die Sammlung, Stichwort: {thing}.',
    'Herrlich. Und dann noch {thing}.',
    'Gern mehr davon, gerade zum Thema „{thing}“.',
  ],
  linkLeads: ['Hier ausführlich:', 'Zum Nachlesen:', 'Quelle:'],
  mentions: ['Danke an @{handle}!', 'Mit @{handle}.', '@{handle} hatte recht.'],
  firstNames: ['Anke', 'Jörn', 'Friederike', 'Matthis', 'Svenja', 'Holger', 'Lotte', 'Benno'],
}
