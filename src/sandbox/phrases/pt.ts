import type { Phrases } from './topic.ts'

export const portuguese: Phrases = {
  lang: 'pt',
  weight: 5,
  topics: [
    {
      keyword: 'música',
      weight: 3,
      hashtags: ['vinil', 'aovivo'],
      slots: {
        thing: ['o baixo', 'o ensaio do coro', 'o vinil usado', 'a segunda faixa'],
        banda: ['Maré Baixa', 'Lanternas de Papel', 'Coro do Cais', 'Bonde da Serra'],
      },
      lines: [
        'Vi {banda} ontem à noite numa sala com {30-90} pessoas. Sem bis, perfeito.',
        'Aprender música aos {38-70} anos: os vizinhos são uns santos.',
        'O disco novo de {banda} tem {8-13} faixas e uma delas me fez perder o ônibus.',
        'Achei um vinil de {1968-1989} por {3-12} reais. Hoje ninguém me segura.',
      ],
    },
    {
      keyword: 'café',
      weight: 3,
      hashtags: ['manhã', 'padaria'],
      slots: {
        thing: ['o café coado', 'o moedor novo', 'o pão na chapa', 'a máquina do escritório'],
        lugar: ['na esquina', 'perto do porto', 'na cozinha da minha avó', 'na rodoviária'],
      },
      lines: [
        'O melhor café da cidade fica {lugar}. Podem discutir nos comentários.',
        'Café número {2-5} e o código finalmente compila.',
        'Um café {lugar}, chuva na janela e {20-80} páginas de um bom livro.',
        'Minha avó faz café num bule de {1958-1979} e ganha de qualquer cafeteria.',
      ],
    },
    {
      keyword: 'espaço',
      weight: 2,
      hashtags: ['astronomia', 'ciência'],
      slots: {
        thing: ['o telescópio', 'a chuva de meteoros', 'a poluição luminosa', 'o mapa do céu'],
        objeto: ['Saturno', 'a nebulosa de Órion', 'Júpiter e quatro luas', 'um cometa tímido'],
      },
      lines: [
        'Céu limpo, finalmente. {objeto} num telescópio de {90-200} mm e as mãos geladas.',
        'Mostrei {objeto} a {12-60} crianças hoje. O espanto delas não tem preço.',
        '{40-180} fotos para uma boa imagem: {objeto}. Valeu cada mosquito.',
        'Nuvens há {3-11} noites. Já sou especialista em nuvens.',
      ],
    },
  ],
  openers: ['Opinião impopular:', 'Bom dia!', 'Nota mental:', 'História real.'],
  closers: ['Mais alguém?', 'Faria de novo.', 'Amanhã conto mais.', 'E por aí?', 'É isso.'],
  replies: [
    'Concordo, {thing} é tudo.',
    'Conta mais sobre {thing}!',
    'Ri alto. E {thing}?',
    'Aqui {thing} deu certo, juro.',
  ],
  linkLeads: ['Contei tudo aqui:', 'Leia mais:', 'Fonte:'],
  mentions: ['Obrigada, @{handle}!', 'Com @{handle}.', '@{handle} tinha razão.'],
  firstNames: ['Iara', 'Caetana', 'Davi', 'Benedita', 'Otávio', 'Jandira'],
}
