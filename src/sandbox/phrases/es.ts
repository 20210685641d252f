import type { Phrases } from './topic.ts'

export const spanish: Phrases = {
  lang: 'es',
  weight: 6,
  topics: [
    {
      keyword: 'fútbol',
      weight: 3,
      hashtags: ['domingo', 'gol', 'barrio'],
      slots: {
        thing: ['el penalti', 'el portero nuevo', 'la prórroga', 'el fuera de juego'],
        club: ['Atlético del Molino', 'Puerto Viejo', 'Unión del Valle', 'Barqueros FC'],
      },
      lines: [
        'Ganó {club} con gol en el minuto {78-94}. No me queda voz.',
        'Llevo {10-40} años siguiendo a {club} y todavía no entiendo el fuera de juego.',
        'Entreno con {14-28} niños y {2-3} balones. El fútbol de verdad era esto.',
        'Perdió {club}, pero la tortilla del descanso fue de campeonato.',
      ],
    },
    {
      keyword: 'typescript',
      weight: 3,
      hashtags: ['programación', 'desarrolloweb'],
      slots: {
        thing: ['los genéricos', 'el modo estricto', 'la migración', 'el compilador'],
        sitio: ['en el servicio de pagos', 'en la app', 'en un proyecto personal', 'en el código más viejo'],
      },
      lines: [
        'Activé el modo estricto de TypeScript {sitio}: {20-300} errores, {2-6} de ellos reales.',
        'El compilador de TypeScript me acaba de salvar la tarde {sitio}.',
        'Migrar a TypeScript {sitio} nos llevó {3-14} tardes y encontró {2-9} fallos escondidos.',
        'Menos comentarios y mejores nombres: eso me enseñó TypeScript {sitio}.',
      ],
    },
    {
      keyword: 'cocina',
      weight: 2,
      hashtags: ['receta', 'cena'],
      slots: {
        thing: ['la sal', 'el horno', 'la receta de la abuela', 'el pan'],
        plato: ['lentejas', 'croquetas', 'arroz al horno', 'tarta de ciruelas'],
      },
      lines: [
        'Hice {plato} para {4-12} en una cocina diminuta. Nadie se fue con hambre.',
        'La receta de {plato} dice "harina, la necesaria". Gracias, abuela.',
        'Para {plato}: {20-90} minutos más de lo que crees. Ese es todo el secreto.',
        'Se me cayó la fuente de {plato} justo antes de la cena. Tostadas para todos.',
      ],
    },
  ],
  openers: ['Opinión impopular:', 'Buenos días.', 'Nota mental:', 'Historia real.'],
  closers: ['¿Alguien más?', 'Lo volvería a hacer.', 'Mañana sigo.', '¿Qué opináis?', 'Y ya está.'],
  replies: [
    'Totalmente de acuerdo con {thing}.',
    'A nosotros nos fue bien con {thing}, la verdad.',
    '¿Puedes contar más sobre {thing}?',
    'Qué risa. ¿Y {thing}?',
  ],
  linkLeads: ['Lo cuento aquí:', 'Más detalles:', 'Fuente:'],
  mentions: ['Gracias a @{handle}.', 'Con @{handle}.', 'Ya lo decía @{handle}.'],
  firstNames: ['Lucía', 'Iker', 'Marisol', 'Joaquín', 'Nerea', 'Ramiro', 'Alba'],
}
